import { createReadStream, type Dirent, existsSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply } from 'fastify';
import type { Api } from '../api.ts';
import { Problem } from '../problems.ts';

/** Where scripts/build-console.ts writes the page. */
const builtFolder = fileURLToPath(new URL('../../console/dist/', import.meta.url));

/** Scripts and styles of our own only; nothing inline, so that text in the page can never run. */
const policyOf = (uploadOrigin: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${uploadOrigin}; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A built file; `encodings` are those beside which it also lies compressed. */
type BuiltFile = { readonly path: string; readonly gzip: boolean };

/**
 * GET /console/: the operators' page. Its addresses are its own (/console/jobs/<id>): all that are not files are
 * answered with the page. Only what lies in its folder is served: the files are listed, anew with the page, because it may
 * be built again meanwhile. `uploadOrigin` is the one other origin the page may call: the bucket's, for files.
 */
export function serveConsole(api: Api, uploadOrigin: () => Promise<string>): void {
  let files = listFiles(builtFolder);
  let policy: Promise<string> | undefined;
  const sendPage = async (reply: FastifyReply, acceptEncoding: string | undefined) => {
    policy ??= uploadOrigin().then(policyOf);
    files = listFiles(builtFolder);
    return send(
      reply.header('content-security-policy', await policy).header('cache-control', 'no-cache'),
      files.get('index.html'),
      acceptEncoding,
    );
  };
  api.get('/console', { schema: { hide: true } }, async (_request, reply) =>
    reply.redirect('/console/', 308),
  );
  api.get<{ Params: { '*': string } }>(
    '/console/*',
    { schema: { hide: true } },
    async (request, reply) => {
      const { '*': name } = request.params;
      const acceptEncoding = request.headers['accept-encoding'];
      if (!name.startsWith('assets/')) return await sendPage(reply, acceptEncoding);
      // The name of an asset has its content's hash in it.
      return send(
        reply.header('cache-control', 'public, max-age=31536000, immutable'),
        files.get(name),
        acceptEncoding,
      );
    },
  );
}

function send(reply: FastifyReply, file: BuiltFile | undefined, acceptEncoding = '') {
  if (file === undefined) {
    reply.header('cache-control', 'no-store');
    throw new Problem('not-found', {
      detail: existsSync(builtFolder)
        ? 'the console has no such file'
        : 'the console is not built: node scripts/build-console.ts',
    });
  }
  reply
    .type(mediaTypes[extname(file.path)] ?? 'application/octet-stream')
    .header('vary', 'accept-encoding');
  if (file.gzip && /\bgzip\b/.test(acceptEncoding)) {
    return reply.header('content-encoding', 'gzip').send(createReadStream(`${file.path}.gz`));
  }
  return reply.send(createReadStream(file.path));
}

function listFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  if (!existsSync(folder)) return new Map();
  const entries: Dirent[] = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const all = new Set(paths);
  return new Map(
    paths
      .filter((path) => extname(path) in mediaTypes)
      .map((path) => [
        relative(folder, path).split(sep).join('/'),
        { path, gzip: all.has(`${path}.gz`) },
      ]),
  );
}
