import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import { createRequestCheck } from '../jobs/check-request.ts';
import { createInsertTogether } from '../jobs/insert-together.ts';
import { allowOrigins } from './allow-origins.ts';
import { answerError, sendProblem, toProblem } from './answer-errors.ts';
import type { Api, AppDeps } from './api.ts';
import { createAuthentication } from './authenticate.ts';
import { compileValidators } from './compile-validators.ts';
import { createJobWatch } from './job-watch.ts';
import { watchRoutes } from './refuse-other-methods.ts';
import { answerMalformedHttp } from './malformed-http.ts';
import { refuseNul } from './refuse-nul.ts';
import { serveMetrics } from './metrics.ts';
import { openApiOptions } from './openapi.ts';
import { Problem } from './problems.ts';
import { readJsonBodies } from './read-json.ts';
import { serveConsole } from './routes/console.ts';
import { getErrors } from './routes/get-errors.ts';
import { getEvents } from './routes/get-events.ts';
import { getFailure } from './routes/get-failure.ts';
import { getHealth } from './routes/get-health.ts';
import { getJob } from './routes/get-job.ts';
import { getMe } from './routes/get-me.ts';
import { getSearch } from './routes/get-search.ts';
import { getResult } from './routes/get-result.ts';
import { listJobs } from './routes/list-jobs.ts';
import { listJobTypes } from './routes/list-job-types.ts';
import { operatorRoutes } from './routes/ops/operator-routes.ts';
import { postCallback } from './routes/post-callback.ts';
import { postBatch } from './routes/post-batch.ts';
import { postCancel } from './routes/post-cancel.ts';
import { postJobs } from './routes/post-jobs.ts';
import { postRedrive } from './routes/post-redrive.ts';
import { completeUpload } from './routes/complete-upload.ts';
import { postUploads, uploadOriginOf } from './routes/post-uploads.ts';
import { createRateLimit } from './rate-limit.ts';
import { createRefusalLog } from './refusal-log.ts';
import { webhookSecrets } from './routes/webhook-secrets.ts';
import { sharedSchemas } from './schemas.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { traceRequests } from './trace-requests.ts';
import { shedLoad } from './shed-load.ts';

/** The routes that need a key, each a file. */
const keyedRoutes = [
  getMe,
  listJobTypes,
  postUploads,
  completeUpload,
  postJobs,
  postBatch,
  listJobs,
  getJob,
  getEvents,
  getResult,
  getErrors,
  getSearch,
  postCancel,
  postRedrive,
  webhookSecrets,
  ...operatorRoutes,
];

/** Bodies of other calls than POST /jobs are small. */
const bodyLimitBytes = 64 * 1024;

/** Builds the API; it listens nowhere and touches nothing until it is asked. `readiness` is turned off when it stops. */
export async function createApp(deps: AppDeps, readiness = { isDraining: false }): Promise<Api> {
  const log: FastifyBaseLogger = deps.log;
  const app: Api = Fastify({
    loggerInstance: log,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    bodyLimit: bodyLimitBytes,
    // Slow clients: the headers must be there within the first, the whole request within the second.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 },
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000, // longer than a load balancer's 60 s, which else meets closed connections
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    clientErrorHandler: answerMalformedHttp,
    frameworkErrors: answerError,
  });
  app.setValidatorCompiler(compileValidators);
  const refusals = createRefusalLog(deps);
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error, request);
    refusals.note(problem, request);
    sendProblem(problem, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    sendProblem(new Problem('not-found'), request, reply);
  });
  app.decorateRequest('caller', null);
  for (const schema of sharedSchemas) app.addSchema(schema);
  const watch = createJobWatch(deps);
  const rateLimit = createRateLimit(deps);
  app.addHook('preClose', async () => {
    watch.close();
    rateLimit.stop();
    await refusals.stop();
  });
  readJsonBodies(app);
  setSecurityHeaders(app);
  allowOrigins(app, deps.corsOrigins ?? []);
  traceRequests(app);
  logRequests(app);
  const load = shedLoad(app, deps.loadLimits, () => watch.size);
  const refuseOtherMethods = watchRoutes(app);
  serveMetrics(app, deps.operations.register);
  await app.register(swagger, openApiOptions);
  await app.register(async (open) => {
    getHealth(open, deps, () => readiness.isDraining || load.isTooHigh());
    await open.register(async (signed) => postCallback(signed, deps));
    getFailure(open);
    serveConsole(open, () => uploadOriginOf(deps.s3, deps.payloadBucket));
    open.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  });
  await app.register(async (keyed) => {
    keyed.addHook('onRequest', createAuthentication({ ...deps, refusals }));
    keyed.addHook('onRequest', rateLimit.onRequest);
    keyed.addHook('preValidation', refuseNul);
    const checkRequest = createRequestCheck(deps.registry, deps);
    const insertJob = createInsertTogether(deps.sql);
    for (const route of keyedRoutes) {
      route(keyed, { ...deps, checkRequest, insertJob, refusals, watch });
    }
  });
  refuseOtherMethods();
  await app.register(swaggerUi, { routePrefix: '/docs' });
  return app;
}

/** The caller's own id where it is harmless to log, so that both sides speak of the same request. */
const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : randomUUID();

/** One line a request: who, what, how it ended; no bodies, no keys, no query. */
function logRequests(app: Api): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, caller } = request;
    const level = reply.statusCode >= 500 ? 'error' : 'info';
    request.log[level](
      {
        method,
        route: routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        keyId: caller?.keyId,
        tenantId: caller?.tenantId,
      },
      'request',
    );
    done();
  });
}
