import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { JsonObject, JsonValue } from '../contract';

/** An item or a key as DynamoDB sends it. */
export type AttributeMap = Record<string, AttributeValue>;

/** What becomes of the numbers of an item; see {@link numberOf}. */
export type NumberForm = 'number' | 'string';

/**
 * An item as JSON. Sets become arrays in the order in which DynamoDB answers them, binary values base64 text.
 *
 * @param numbers `number`: numbers, but text where a JavaScript number would not be exact. `string`: all of them text.
 */
export function itemToJson(item: AttributeMap, numbers: NumberForm): JsonObject {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, valueToJson(value, numbers)]));
}

function valueToJson(value: AttributeValue, numbers: NumberForm): JsonValue {
  if (value.S !== undefined) {
    return value.S;
  }
  if (value.N !== undefined) {
    return numberOf(value.N, numbers);
  }
  if (value.BOOL !== undefined) {
    return value.BOOL;
  }
  if (value.M !== undefined) {
    return itemToJson(value.M, numbers);
  }
  if (value.L !== undefined) {
    return value.L.map((member) => valueToJson(member, numbers));
  }
  if (value.B !== undefined) {
    return base64(value.B);
  }
  return setToJson(value, numbers);
}

function setToJson(value: AttributeValue, numbers: NumberForm): JsonValue {
  if (value.NS !== undefined) {
    return value.NS.map((member) => numberOf(member, numbers));
  }
  return value.SS ?? value.BS?.map(base64) ?? null;
}

/** DynamoDB keeps 38 decimal digits; a number of JavaScript keeps 15 to 17, and changes the others without a word. */
function numberOf(text: string, form: NumberForm): number | string {
  const value = Number(text);
  return form === 'number' && Number.isFinite(value) && digitsOf(String(value)) === digitsOf(text) ? value : text;
}

/** A number in one spelling: sign, digits without outer zeros, exponent. */
function digitsOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return significant === '' ? '0' : `${sign === '-' ? '-' : ''}${significant}e${power}`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** A key as a cursor: DynamoDB's own JSON, so that numbers keep every digit and binary values their bytes. */
export function keyToCursor(key: AttributeMap): JsonObject {
  return Object.fromEntries(
    Object.entries(key).map(([name, value]): [string, JsonValue] => {
      if (value.S !== undefined) {
        return [name, { S: value.S }];
      }
      return [name, value.N === undefined ? { B: base64(value.B ?? new Uint8Array()) } : { N: value.N }];
    }),
  );
}

/** The key that {@link keyToCursor} made a cursor of; `undefined` where the cursor is none of its. */
export function cursorToKey(cursor: JsonValue): AttributeMap | undefined {
  if (typeof cursor !== 'object' || cursor === null || Array.isArray(cursor)) {
    return undefined;
  }
  const parts = Object.entries(cursor as JsonObject).map(([name, value]) => [name, keyPart(value)] as const);
  return parts.every((part): part is [string, AttributeValue] => part[1] !== undefined)
    ? Object.fromEntries(parts)
    : undefined;
}

function keyPart(value: JsonValue): AttributeValue | undefined {
  const [type, content] = Object.entries(value ?? {})[0] ?? [];
  if (typeof content !== 'string') {
    return undefined;
  }
  if (type === 'B') {
    return { B: new Uint8Array(Buffer.from(content, 'base64')) };
  }
  return type === 'S' ? { S: content } : type === 'N' ? { N: content } : undefined;
}
