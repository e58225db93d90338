import { listBuckets } from '../store/buckets.ts';
import type { Store } from '../store/open-store.ts';
import { inTransaction } from '../store/read-row.ts';
import { deleteUpload, findUploadsBefore, listParts } from '../store/uploads.ts';
import { childText, readXmlRoot, type XmlNode } from '../xml/read-xml.ts';

const dayMs = 24 * 60 * 60 * 1000;

type AbortRule = { readonly prefix: string; readonly days: number };

/**
 * Aborts the uploads that a bucket's AbortIncompleteMultipartUpload rules give up; gives how many. As on AWS, the days
 * are counted from the start of the upload and rounded up to the next midnight UTC
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html).
 */
export async function abortOldUploads({ index, content }: Store, nowMs: number): Promise<number> {
  const midnightMs = Math.floor(nowMs / dayMs) * dayMs;
  const files: string[] = [];
  let aborted = 0;
  for (const { name, lifecycle } of listBuckets(index)) {
    for (const { prefix, days } of abortRulesOf(lifecycle)) {
      for (const uploadId of findUploadsBefore(index, name, prefix, midnightMs - days * dayMs)) {
        inTransaction(index, () => {
          files.push(...listParts(index, uploadId).map(({ file }) => file));
          deleteUpload(index, uploadId);
        });
        aborted += 1;
      }
    }
  }
  await content.remove(files);
  return aborted;
}

/** The rules that are enabled and choose by nothing but a prefix: an upload has neither size nor tags yet. */
function abortRulesOf(document: string | undefined): AbortRule[] {
  if (document === undefined) return [];
  return readXmlRoot(document, 'LifecycleConfiguration').children.flatMap((rule) => {
    const abort = childOf(rule, 'AbortIncompleteMultipartUpload');
    if (abort === undefined || childText(rule, 'Status') !== 'Enabled') return [];
    const filter = childOf(rule, 'Filter');
    const prefix = (filter === undefined ? undefined : childText(filter, 'Prefix')) ?? '';
    const days = Number(childText(abort, 'DaysAfterInitiation'));
    return [{ prefix: childText(rule, 'Prefix') ?? prefix, days }];
  });
}

const childOf = (node: XmlNode, name: string): XmlNode | undefined =>
  node.children.find((child) => child.name === name);
