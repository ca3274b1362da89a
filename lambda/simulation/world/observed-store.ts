import type { ItemKey, LockItem } from '../../contract';
import type { Change, Condition, QueryRange, StateStore } from '../../ports';
import type { MemoryStateStore } from '../memory-state-store';
import type { FaultyCalls } from './faulty-calls';
import type { Instance } from './instance';
import type { Observer } from './observation';

/** What a store of an instance is made of. */
export interface ObservedStoreOptions {
  readonly memory: MemoryStateStore;
  readonly calls: FaultyCalls;
  readonly instance: Instance;
  /** Fanout of the instance. */
  readonly fanoutId: string;
  readonly observe: Observer;
}

/** The state table as one instance reaches it: every call takes its turn and may fail; every effect is observed, also one that comes late. */
export class ObservedStore implements StateStore {
  constructor(private readonly options: ObservedStoreOptions) {}

  get<T extends ItemKey>(key: ItemKey): Promise<T | undefined> {
    return this.call(`get ${textOf(key)}`, () => this.options.memory.get<T>(key));
  }

  getMany<T extends ItemKey>(keys: readonly ItemKey[]): Promise<T[]> {
    return this.call(`getMany of ${keys.length}`, () => this.options.memory.getMany<T>(keys));
  }

  query<T extends ItemKey>(pk: string, range?: QueryRange): Promise<T[]> {
    return this.call(`query ${pk} ${range?.prefix ?? ''}`, () => this.options.memory.query<T>(pk, range));
  }

  put(item: ItemKey, condition?: Condition): Promise<boolean> {
    return this.call(`put ${textOf(item)}`, () => this.write(item, () => this.options.memory.put(item, condition)));
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as in the port
  async update<T extends ItemKey>(
    key: ItemKey,
    change: Change,
    condition?: Condition,
  ): Promise<{ readonly applied: true; readonly item: T } | { readonly applied: false }> {
    const result = await this.call(`update ${textOf(key)} ${changeText(change)}`, () =>
      this.write(key, () => this.options.memory.update<T>(key, change, condition), change),
    );
    if (key.sk === 'LOCK') {
      const { instance: by, fanoutId, observe } = this.options;
      const { leaseUntil, fence } = (result.applied ? result.item : {}) as Partial<LockItem>;
      observe({ type: 'lockAnswered', by, fanoutId, isApplied: result.applied, leaseUntil, fence });
    }
    return result;
  }

  delete(key: ItemKey, condition?: Condition): Promise<boolean> {
    return this.call(`delete ${textOf(key)}`, () => this.write(key, () => this.options.memory.delete(key, condition)));
  }

  private call<T>(what: string, effect: () => Promise<T>): Promise<T> {
    return this.options.calls.make(this.options.instance, 'call', what, effect);
  }

  /** The memory writes before it returns its promise, so what is stored before and after is of this write alone. */
  private write<T>(key: ItemKey, effect: () => Promise<T>, change?: Change): Promise<T> {
    const { memory, instance: by, fanoutId, observe } = this.options;
    const before = memory.peek(key);
    const result = effect();
    const after = memory.peek(key);
    if (before !== after) {
      observe({ type: 'written', by, fanoutId, key: { pk: key.pk, sk: key.sk }, before, after, change });
    }
    return result;
  }
}

function textOf({ pk, sk }: ItemKey): string {
  return sk === 'PAGE' ? pk : `${pk} ${sk}`;
}

function changeText({ set = [], add = [], remove = [] }: Change): string {
  const settled = add.map(
    ([path, value]) => `${path.join('.')}+${value instanceof Set ? [...value].join() : String(value as number)}`,
  );
  return [...set.map(([path]) => path.join('.')), ...settled, ...remove.map((path) => `-${path.join('.')}`)].join(' ');
}
