import { dirname, extname, join } from 'node:path';

/** Where the runtime's files lie: the sources when this package runs from its sources, the build's output when it runs from that. */
export interface RuntimeFiles {
  /** Directory whose `lambda` and `runtime` hold all of them. */
  readonly root: string;
  /** Module that exports `createScannerHandler`. */
  readonly scanner: string;
  /** Module that exports `createConsumerHandler`. */
  readonly consumer: string;
  /** The modules that a job module may import from this package, by their subpath (`job` for `cron-fanout/job`). */
  readonly api: Readonly<Record<string, string>>;
}

/**
 * Names the files of the runtime. The only place that knows where they are: `lib` never imports them.
 *
 * The answer follows from the extension of the calling file alone. Probing the disk instead would pick stale build output when the package
 * runs from its sources.
 *
 * @param libraryFile absolute path of this module; a parameter so that both answers can be checked
 */
export function runtimeFiles(libraryFile: string = __filename): RuntimeFiles {
  const parent = dirname(dirname(libraryFile));
  if (extname(libraryFile) === '.ts') {
    return {
      root: parent,
      scanner: join(parent, 'lambda', 'scanner', 'entry.ts'),
      consumer: join(parent, 'lambda', 'consumer', 'entry.ts'),
      api: { job: join(parent, 'lambda', 'job', 'index.ts') },
    };
  }
  return {
    root: parent,
    scanner: join(parent, 'runtime', 'scanner.mjs'),
    consumer: join(parent, 'runtime', 'consumer.mjs'),
    api: { job: join(parent, 'lambda', 'job', 'index.js') },
  };
}
