import fc from 'fast-check';
import { readBatchResponse } from '../../../../lambda/simulation/event-source-mapping';

const IDS = new Set(['id-1', 'id-2']);

describe('readBatchResponse', () => {
  it.each([
    ['null', null],
    ['undefined', undefined],
    ['an empty text', ''],
    ['an empty object', {}],
    ['an object of other fields', { BatchItemFailures: [{ itemIdentifier: 'id-1' }] }],
    ['a null list', { batchItemFailures: null }],
    ['an empty list', { batchItemFailures: [] }],
  ])('takes %s for success of all', (_, response) => {
    expect(readBatchResponse(response, IDS)).toEqual({ valid: true, failed: new Set() });
  });

  it.each([
    ['a text', 'ok'],
    ['a number', 3],
    ['true', true],
    ['a list', [{ itemIdentifier: 'id-1' }]],
    ['a list that is no list', { batchItemFailures: 'id-1' }],
    ['a list of ids', { batchItemFailures: ['id-1'] }],
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['a null id', { batchItemFailures: [{ itemIdentifier: null }] }],
    ['an undefined id', { batchItemFailures: [{ itemIdentifier: undefined }] }],
    ['a wrong key', { batchItemFailures: [{ messageId: 'id-1' }] }],
    ['a wrong case', { batchItemFailures: [{ ItemIdentifier: 'id-1' }] }],
    ['an unknown id', { batchItemFailures: [{ itemIdentifier: 'id-1' }, { itemIdentifier: 'other' }] }],
    ['a null item', { batchItemFailures: [null] }],
    ['a value that is not JSON', { batchItemFailures: [{ itemIdentifier: 1n }] }],
  ])('B64: takes %s for failure of all', (_, response) => {
    expect(readBatchResponse(response, IDS)).toMatchObject({ valid: false });
  });

  it('answers the ids that are named, each once', () => {
    const batchItemFailures = [{ itemIdentifier: 'id-2' }, { itemIdentifier: 'id-2', more: 1 }];
    expect(readBatchResponse({ batchItemFailures }, IDS)).toEqual({ valid: true, failed: new Set(['id-2']) });
  });

  it('never throws, and names only ids of the batch', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withNullPrototype: true }), (response) => {
        const verdict = readBatchResponse(response, IDS);
        expect(!verdict.valid || [...verdict.failed].every((id) => IDS.has(id))).toBe(true);
      }),
    );
  });
});
