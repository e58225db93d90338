/** What differs between a stage that may be thrown away and one that people rely on. */
export type Stage = {
  readonly name: 'dev' | 'prod';
  readonly network: {
    /** 0: tasks reach providers by IPv6 only, through an egress-only gateway that costs nothing. */
    readonly natGateways: number;
    /** Private ways to AWS's services, about 7 USD a month each and per zone. */
    readonly interfaceEndpoints: boolean;
  };
  readonly database: {
    readonly instance: 't4g.micro' | 'r8g.large';
    /** PostgreSQL's own limit on RDS: DBInstanceClassMemory / 9531392, at most 5,000. */
    readonly maxConnections: number;
    readonly storageGb: number;
    readonly multiAz: boolean;
    readonly backupDays: number;
    readonly proxy: boolean;
  };
  readonly api: ServiceSize;
  readonly worker: ServiceSize;
  /** Who receives job requests: the worker's loop, or a Lambda function. */
  readonly dispatcher: 'worker' | 'lambda';
  /** StartExecution calls a second, of all dispatchers together; below the account's refill rate. */
  readonly startsPerSecond: number;
  readonly deletionProtection: boolean;
  readonly logDays: 7 | 90;
};

export type ServiceSize = {
  readonly cpu: 256 | 512 | 1024;
  readonly memoryMb: 512 | 1024 | 2048;
  readonly min: number;
  readonly max: number;
  /** Database connections of one process. */
  readonly poolSize: number;
};

const gb = 1024 ** 3;
/** https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Limits.html, "Maximum number of database connections" */
const connectionsOf = (memoryGb: number): number =>
  Math.min(5_000, Math.floor((memoryGb * gb) / 9_531_392));

export const stages: Readonly<Record<Stage['name'], Stage>> = {
  dev: {
    name: 'dev',
    network: { natGateways: 0, interfaceEndpoints: false },
    database: {
      instance: 't4g.micro',
      maxConnections: connectionsOf(1),
      storageGb: 20,
      multiAz: false,
      backupDays: 1,
      proxy: false,
    },
    api: { cpu: 256, memoryMb: 512, min: 1, max: 1, poolSize: 10 },
    worker: { cpu: 256, memoryMb: 512, min: 1, max: 2, poolSize: 10 },
    dispatcher: 'worker',
    startsPerSecond: 100,
    deletionProtection: false,
    logDays: 7,
  },
  prod: {
    name: 'prod',
    network: { natGateways: 2, interfaceEndpoints: true },
    database: {
      instance: 'r8g.large',
      maxConnections: connectionsOf(16),
      storageGb: 100,
      multiAz: true,
      backupDays: 14,
      proxy: true,
    },
    api: { cpu: 512, memoryMb: 1024, min: 2, max: 10, poolSize: 10 },
    worker: { cpu: 512, memoryMb: 1024, min: 2, max: 10, poolSize: 10 },
    dispatcher: 'worker',
    startsPerSecond: 250,
    deletionProtection: true,
    logDays: 90,
  },
};

/** Throws where there is no such stage. */
export function stageOf(name: string): Stage {
  const stage = Object.values(stages).find((candidate) => candidate.name === name);
  if (stage === undefined)
    throw new Error(`there is no stage ${name}: -c stage=dev or -c stage=prod`);
  return stage;
}

/** Seconds. A queue's messages stay hidden for six times its consumer's timeout, as AWS asks of a Lambda consumer. */
export const dispatcherTimeoutSeconds = 30;
export const visibilitySeconds = 6 * dispatcherTimeoutSeconds;

/** One Lambda environment works on one event at a time. */
export const taskPoolSize = 1;

/** How many instances of each task function may run at once, so that together they never want more connections than are left. */
export function taskConcurrency(stage: Stage, functions: number): number {
  const { database, api, worker } = stage;
  // A tenth stays for operators, migrations and the server's own superuser.
  const usable = Math.floor(database.maxConnections * 0.9);
  // One more for each process of the API, which listens for ended jobs.
  const services = api.max * (api.poolSize + 1) + worker.max * worker.poolSize;
  const each = Math.floor((usable - services) / taskPoolSize / functions);
  if (each < 1) {
    throw new Error(
      `${database.instance} has ${database.maxConnections} connections: too few for ${services} of the services and ${functions} functions`,
    );
  }
  return Math.min(each, 100);
}

/** The dispatcher function's environments share the stage's start rate. */
export const dispatcherConcurrency = 5;
