import type { JsonObject } from '../language/json.ts';
import { report, type Place } from './place.ts';

/** Fields of one query language only. https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html */
const onlyIn = new Map<string, 'JSONPath' | 'JSONata'>([
  ...(['Arguments', 'Output', 'Items', 'Condition'] as const).map(
    (name) => [name, 'JSONata'] as const,
  ),
  ...(
    [
      'InputPath',
      'OutputPath',
      'ResultPath',
      'ResultSelector',
      'Parameters',
      'Result',
      'ItemsPath',
      'Variable',
      'TimeoutSecondsPath',
      'HeartbeatSecondsPath',
      'SecondsPath',
      'TimestampPath',
      'ErrorPath',
      'CausePath',
      'MaxConcurrencyPath',
      'ToleratedFailureCountPath',
      'ToleratedFailurePercentagePath',
      'MaxItemsPath',
      'MaxItemsPerBatchPath',
      'MaxInputBytesPerBatchPath',
    ] as const
  ).map((name) => [name, 'JSONPath'] as const),
]);

/** Refuses the other language's fields at the object's own place, as AWS does. */
export function checkLanguage(fields: JsonObject, place: Place): void {
  for (const name of Object.keys(fields)) {
    const language = onlyIn.get(name);
    if (language !== undefined && language !== place.queryLanguage) {
      report(
        place,
        `The QueryLanguage is set to '${place.queryLanguage}', but field '${name}' is only supported for the '${language}' QueryLanguage`,
      );
    }
  }
}
