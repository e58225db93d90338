import { fileURLToPath } from 'node:url';
import { IgnoreMode } from 'aws-cdk-lib';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';

/** The image of the API and the worker, built by Docker at a deployment from the Dockerfile; `.dockerignore` says of what. */
export const pawlImage = (): ContainerImage =>
  ContainerImage.fromAsset(fileURLToPath(new URL('../', import.meta.url)), {
    platform: Platform.LINUX_ARM64,
    ignoreMode: IgnoreMode.DOCKER,
    exclude: ['cdk.out', '.data', 'node_modules', '.git'],
  });
