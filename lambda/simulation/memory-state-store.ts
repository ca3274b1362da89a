import type { ItemKey } from '../contract';
import type { Attribute, Change, Condition, Path, QueryRange, StateStore } from '../ports';
import { attributeAt, holds } from './conditions';

type Stored = Record<string, Attribute | undefined>;

/** The state table in memory: the same conditions and changes as on DynamoDB, each call atomic. */
export class MemoryStateStore implements StateStore {
  private readonly partitions = new Map<string, Map<string, Stored>>();

  get<T extends ItemKey>(key: ItemKey): Promise<T | undefined> {
    return Promise.resolve(copy(this.read(key)) as T | undefined);
  }

  getMany<T extends ItemKey>(keys: readonly ItemKey[]): Promise<T[]> {
    const items = keys.map((key) => copy(this.read(key))).filter((item) => item !== undefined);
    return Promise.resolve(items as unknown as T[]);
  }

  query<T extends ItemKey>(pk: string, range: QueryRange = {}): Promise<T[]> {
    const { prefix = '', from = '', limit = Infinity, descending = false } = range;
    const keys = [...(this.partitions.get(pk)?.keys() ?? [])]
      .filter((sk) => sk.startsWith(prefix) && sk >= from)
      .sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    const chosen = (descending ? keys.reverse() : keys).slice(0, limit);
    return Promise.resolve(chosen.map((sk) => copy(this.read({ pk, sk })) as unknown as T));
  }

  put(item: ItemKey, condition?: Condition): Promise<boolean> {
    if (condition !== undefined && !holds(this.read(item), condition)) {
      return Promise.resolve(false);
    }
    this.write(item, cloned(item as unknown as Attribute) as Stored);
    return Promise.resolve(true);
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as in the port
  update<T extends ItemKey>(
    key: ItemKey,
    change: Change,
    condition?: Condition,
  ): Promise<{ readonly applied: true; readonly item: T } | { readonly applied: false }> {
    const stored = this.read(key);
    if (condition !== undefined && !holds(stored, condition)) {
      return Promise.resolve({ applied: false });
    }
    const item = copy(stored) ?? { pk: key.pk, sk: key.sk };
    applyChange(item, change);
    this.write(key, item);
    return Promise.resolve({ applied: true, item: copy(item) as unknown as T });
  }

  delete(key: ItemKey, condition?: Condition): Promise<boolean> {
    if (condition !== undefined && !holds(this.read(key), condition)) {
      return Promise.resolve(false);
    }
    this.partitions.get(key.pk)?.delete(key.sk);
    return Promise.resolve(true);
  }

  /** The stored item itself, without a copy: to look at, never to change. A write replaces it. */
  peek(key: ItemKey): Readonly<Record<string, Attribute | undefined>> | undefined {
    return this.read(key);
  }

  /** The stored items of a partition, or all of them, without a copy: to look at, never to change. */
  *peekAll(pk?: string): Generator<Readonly<Record<string, Attribute | undefined>>, void, undefined> {
    for (const partition of pk === undefined ? this.partitions.values() : [this.partitions.get(pk)]) {
      yield* partition?.values() ?? [];
    }
  }

  /** Every stored item, ordered by key: for assertions. */
  items(): ItemKey[] {
    return [...this.partitions.values()]
      .flatMap((partition) => [...partition.values()])
      .map((item) => copy(item) as unknown as ItemKey)
      .sort((left, right) => (left.pk === right.pk ? compareText(left.sk, right.sk) : compareText(left.pk, right.pk)));
  }

  private read(key: ItemKey): Stored | undefined {
    return this.partitions.get(key.pk)?.get(key.sk);
  }

  private write(key: ItemKey, item: Stored): void {
    const partition = this.partitions.get(key.pk) ?? new Map<string, Stored>();
    this.partitions.set(key.pk, partition);
    partition.set(key.sk, item);
  }
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function copy(item: Stored | undefined): Stored | undefined {
  return item === undefined ? undefined : (cloned(item as Attribute) as Stored);
}

/** A deep copy. Not `structuredClone`: in a test's own realm its sets would be of another. Written as loops, since a simulation spends much of its time here. */
function cloned(value: Attribute): Attribute {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (value instanceof Set) {
    return new Set(value as ReadonlySet<number>);
  }
  if (value instanceof Uint8Array) {
    return new Uint8Array(value);
  }
  if (Array.isArray(value)) {
    return (value as readonly Attribute[]).map(cloned);
  }
  const copied: Record<string, Attribute> = {};
  for (const name of Object.keys(value)) {
    const member = (value as Stored)[name];
    if (member !== undefined) {
      copied[name] = typeof member === 'object' ? cloned(member) : member;
    }
  }
  return copied;
}

function applyChange(item: Stored, change: Change): void {
  for (const [path, value] of change.set ?? []) {
    parentOf(item, path)[lastOf(path)] = cloned(value);
  }
  for (const [path, value] of change.add ?? []) {
    item[path[0]] = sum(attributeAt(item, path), value);
  }
  for (const path of change.remove ?? []) {
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- removing an attribute is what is asked for
    delete parentOf(item, path)[lastOf(path)];
  }
}

function lastOf([first, ...rest]: Path): string {
  return rest.at(-1) ?? first;
}

function parentOf(item: Stored, path: Path): Stored {
  const [first, ...rest] = path.slice(0, -1);
  if (first === undefined) {
    return item;
  }
  const parent = attributeAt(item, [first, ...rest]);
  if (typeof parent !== 'object' || parent === null) {
    throw new Error(`The document path ${path.join('.')} is invalid for update: its parent is absent`);
  }
  return parent as Stored;
}

function sum(stored: Attribute | undefined, value: number | ReadonlySet<number> | ReadonlySet<string>): Attribute {
  if (typeof value === 'number') {
    return (typeof stored === 'number' ? stored : 0) + value;
  }
  const members = stored instanceof Set ? (stored as ReadonlySet<number | string>) : new Set<number | string>();
  return new Set<number | string>([...members, ...value]) as ReadonlySet<number>;
}
