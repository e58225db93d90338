import { S3Error } from '../s3-error.ts';

/** Pulls lines and counted bytes out of a stream of buffers; an early end is IncompleteBody. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #pending: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** A line without its CRLF. */
  async readLine(maxBytes: number): Promise<string> {
    for (;;) {
      const end = this.#pending.indexOf('\r\n');
      if (end > maxBytes || (end === -1 && this.#pending.length > maxBytes)) {
        throw new S3Error('InvalidRequest', { message: 'A line of the chunked body is too long.' });
      }
      if (end !== -1) {
        const line = this.#pending.toString('latin1', 0, end);
        this.#pending = this.#pending.subarray(end + 2);
        return line;
      }
      this.#pending = Buffer.concat([this.#pending, await this.#next()]);
    }
  }

  /** Exactly so many bytes, in pieces as they come in. */
  async *read(bytes: number): AsyncGenerator<Buffer, void, undefined> {
    for (let rest = bytes; rest > 0;) {
      if (this.#pending.length === 0) this.#pending = await this.#next();
      const piece = this.#pending.subarray(0, rest);
      this.#pending = this.#pending.subarray(piece.length);
      rest -= piece.length;
      yield piece;
    }
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#source.next();
    if (done === true) throw new S3Error('IncompleteBody');
    return value;
  }
}
