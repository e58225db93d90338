export type ProgressBar = {
  /** Where it moves, it takes the place of what it showed before; elsewhere it is a line. */
  show(done: number, total: number, text: string): void;
  /** To be called before anything else is written. */
  end(): void;
};

const width = 30;
/** Where it cannot move: a line for each tenth, not for each step. */
const linesAtMost = 10;

/** A bar that moves on a terminal, and is lines elsewhere. */
export function createProgressBar(stream: NodeJS.WriteStream): ProgressBar {
  let isOpen = false;
  let lastTenth = -1;
  return {
    show(done, total, text) {
      const line = `${barOf(done, total)} ${text}`;
      if (stream.isTTY) {
        stream.write(`\r\u001b[K${line}`);
        isOpen = true;
        return;
      }
      const tenth = Math.floor((done / total) * linesAtMost);
      if (tenth === lastTenth) return;
      lastTenth = tenth;
      stream.write(`${line}\n`);
    },
    end() {
      if (isOpen) stream.write('\n');
      isOpen = false;
    },
  };
}

function barOf(done: number, total: number): string {
  const filled = total === 0 ? width : Math.round((Math.min(done, total) / total) * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
}
