// `npm run format`: rewrites the source files in the one format that `npm run check` accepts.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync('node_modules/.bin/oxfmt', ['.'], { stdio: 'inherit' });
process.exit(status ?? 1);
