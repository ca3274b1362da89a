import type { ItemKey } from '../contract';

/*
 * The state table as the policies see it. Conditions and changes are data: the DynamoDB adapter turns them into expressions, the
 * in-memory store of the simulation interprets them. So the conditions that the simulation tries to break are the ones that are deployed.
 */

/** A value of an attribute. Sets hold numbers or strings, never both, and are never empty. */
export type Attribute =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | ReadonlySet<number>
  | ReadonlySet<string>
  | readonly Attribute[]
  | { readonly [name: string]: Attribute };

/** An item. Attributes that are `undefined` are not stored. */
export type Item = ItemKey & Readonly<Record<string, Attribute | undefined>>;

/** Path of an attribute, map members included: `['claims', '7', 't']`. Segments may hold any character. */
export type Path = readonly [string, ...string[]];

/** Comparison of an attribute with a literal. An absent attribute compares as false. */
export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** What must hold of the stored item for a write to take place. */
export type Condition =
  | { readonly op: 'absent' | 'present'; readonly path: Path }
  | { readonly op: 'compare'; readonly path: Path; readonly is: Comparison; readonly value: string | number | boolean }
  | { readonly op: 'contains'; readonly path: Path; readonly member: string | number }
  | { readonly op: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition };

/** Builders of conditions. */
export const when = {
  absent: (...path: Path): Condition => ({ op: 'absent', path }),
  present: (...path: Path): Condition => ({ op: 'present', path }),
  compare: (path: string | Path, is: Comparison, value: string | number | boolean): Condition => ({
    op: 'compare',
    path: typeof path === 'string' ? [path] : path,
    is,
    value,
  }),
  /** The set at `path` has `member`; false where the set is absent. */
  contains: (path: string | Path, member: string | number): Condition => ({
    op: 'contains',
    path: typeof path === 'string' ? [path] : path,
    member,
  }),
  all: (...of: Condition[]): Condition => ({ op: 'all', of }),
  any: (...of: Condition[]): Condition => ({ op: 'any', of }),
  not: (of: Condition): Condition => ({ op: 'not', of }),
  /** No item with this key is stored. */
  newItem: { op: 'absent', path: ['pk'] } as Condition,
  /** An item with this key is stored. */
  storedItem: { op: 'present', path: ['pk'] } as Condition,
} as const;

/** Changes of one update; paths must not overlap. The parent map of a nested path must be stored. */
export interface Change {
  readonly set?: readonly (readonly [Path, Attribute])[];
  /** Adds to a number (absent counts as 0) or unites with a set (absent counts as empty). Top-level paths only. */
  readonly add?: readonly (readonly [Path, number | ReadonlySet<number> | ReadonlySet<string>])[];
  readonly remove?: readonly Path[];
}

/** Range of a query: sort keys with a prefix, or from a key on, ascending. */
export interface QueryRange {
  readonly prefix?: string;
  /** Inclusive. */
  readonly from?: string;
  /** Most items to answer; absent: all of them, page by page. */
  readonly limit?: number;
  readonly descending?: boolean;
}

/**
 * The state table. Every read is strongly consistent. Every call may throw when the table can't be reached; a write that throws may
 * have taken place.
 */
export interface StateStore {
  get<T extends ItemKey>(key: ItemKey): Promise<T | undefined>;
  /** Items that are stored, in no order; any number of keys. */
  getMany<T extends ItemKey>(keys: readonly ItemKey[]): Promise<T[]>;
  query<T extends ItemKey>(pk: string, range?: QueryRange): Promise<T[]>;
  /** Writes a whole item. Answers whether the condition held and the item was written. */
  put(item: ItemKey, condition?: Condition): Promise<boolean>;
  /** Changes an item, creating it where it is absent, and answers the new item. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the item it expects, as with get
  update<T extends ItemKey>(
    key: ItemKey,
    change: Change,
    condition?: Condition,
  ): Promise<{ readonly applied: true; readonly item: T } | { readonly applied: false }>;
  /** Deletes an item. Answers false only where the condition did not hold. */
  delete(key: ItemKey, condition?: Condition): Promise<boolean>;
}
