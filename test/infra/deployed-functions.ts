import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LambdaFunction } from '../../local/lambda/functions.ts';
import type { Synthesis } from './synthesize.ts';
import { type Resolver, resourcesOf } from './template.ts';

/**
 * The functions as AWS would run them: the file that `Handler` names in the asset that `Code` names, both from the
 * template. The file is made with what synthesis wrote, not with the source tree.
 */
export function deployedFunctions(
  { templates, outdir }: Synthesis,
  stageName: string,
  resolve: Resolver,
): LambdaFunction[] {
  return resourcesOf(templates, 'AWS::Lambda::Function')
    .filter(({ properties }) => String(properties['FunctionName']).startsWith('pawl-'))
    .map(({ concern, properties }) => {
      const { S3Key } = resolve(concern, properties['Code']) as { S3Key: string };
      const assets = join(outdir, `pawl-${stageName}-${concern}.assets.json`);
      const place = String(properties['Handler']).replace(/\.handler$/, '.mjs');
      return {
        name: String(properties['FunctionName']),
        file: join(assetFolder(assets, S3Key, outdir), place),
        timeoutSeconds: Number(properties['Timeout']),
        memoryMb: Number(properties['MemorySize']),
      };
    });
}

type Assets = {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: { readonly path: string };
        readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
      }
    >
  >;
};

/** Where an uploaded object comes from, as `cdk deploy` reads it. */
function assetFolder(manifest: string, key: string, outdir: string): string {
  const { files } = JSON.parse(readFileSync(manifest, 'utf8')) as Assets;
  const asset = Object.values(files).find(({ destinations }) =>
    Object.values(destinations).some(({ objectKey }) => objectKey === key),
  );
  if (asset === undefined) throw new Error(`no asset is uploaded as ${key}`);
  return join(outdir, asset.source.path);
}
