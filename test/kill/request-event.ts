/** A request of the SDK, in words. */
export interface RequestEvent {
  /** For example `PutItem KEYS`, `UpdateItem PAGE claims settled succeeded`, `UpdateItem RUN state=scanned pages scannedAt`, `SendMessageBatch dead`. */
  readonly text: string;
  /** The ordinals of a page that it settles. */
  readonly settled?: { readonly page: string; readonly ordinals: readonly number[] };
}

interface AttributeValue {
  readonly S?: string;
  readonly NS?: readonly string[];
}

interface Body {
  readonly QueueUrl?: string;
  readonly Key?: Readonly<Record<'pk' | 'sk', AttributeValue | undefined>>;
  readonly Item?: Readonly<Record<'pk' | 'sk', AttributeValue | undefined>>;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, AttributeValue | undefined>>;
}

/**
 * Says what a request is for.
 *
 * @param target `x-amz-target`, or the path of a request that has none
 * @param text body of the request
 */
export function requestEvent(target: string, text: string): RequestEvent {
  const action = target.slice(target.lastIndexOf('.') + 1);
  if (!target.startsWith('DynamoDB') && !target.startsWith('AmazonSQS')) {
    return { text: `call ${target}` };
  }
  const body = JSON.parse(text) as Body;
  if (body.QueueUrl !== undefined) {
    return { text: `${action} ${/dead/i.test(body.QueueUrl) ? 'dead' : 'work'}` };
  }
  const { pk = {}, sk = {} } = body.Key ?? body.Item ?? { pk: undefined, sk: undefined };
  const writes = writesOf(body);
  const words = writes.map(({ name, value }) => (name === 'state' ? `state=${value?.S ?? ''}` : name));
  const settled = writes.find(({ name }) => name === 'settled')?.value?.NS;
  return {
    text: [action, itemOf(pk.S ?? '', sk.S ?? ''), ...words].join(' ').trim(),
    ...(settled !== undefined && { settled: { page: pk.S ?? '', ordinals: settled.map(Number) } }),
  };
}

function itemOf(pk: string, sk: string): string {
  if (pk.endsWith('#OPEN')) {
    return sk.includes('#') ? 'OPEN page' : 'OPEN run';
  }
  return pk.endsWith('#DEAD') ? 'DEAD' : (sk.split('#')[0] ?? '');
}

/** Attributes that an update changes, each with the value that it is given. */
function writesOf({ UpdateExpression = '', ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: Body) {
  const clauses = UpdateExpression.replace(/\b(SET|ADD|REMOVE) /g, ', ').split(', ');
  const writes = clauses.flatMap((clause) => {
    const [path = '', value = ''] = clause.trim().split(/ = | /);
    const name = ExpressionAttributeNames[path.split('.')[0] ?? ''];
    return name === undefined ? [] : [{ name, value: ExpressionAttributeValues[value] }];
  });
  return writes.filter(({ name }, place) => writes.findIndex((other) => other.name === name) === place);
}
