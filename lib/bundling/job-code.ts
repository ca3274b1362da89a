import { realpathSync, statSync } from 'node:fs';
import { extname, isAbsolute, relative, resolve } from 'node:path';
import { CronFanoutError } from '../../lambda/contract';

/** Which module of a directory holds the jobs. */
export interface JobCodeOptions {
  /** Path of the job module inside of the directory: `.js`, `.mjs` or `.cjs`, for example `jobs/booking-reminders.js`. */
  readonly module: string;
}

/**
 * Job modules that you built yourself, packaged as they are: for code that esbuild cannot compile, above all decorators with metadata
 * (NestJS), which need tsc or swc.
 *
 * The directory lands in `code/` beside the runtime. A `node_modules` directly in it is packaged with it (except pnpm's, whose links a zip file
 * cannot hold). What the modules import from elsewhere is found as Node would find it, and copied with its dependencies; imports whose name is
 * computed are not seen: name those packages in `bundling.copiedModules`.
 */
export class JobCode {
  /**
   * Takes the job modules from a directory.
   *
   * @param directory absolute, or relative to the working directory
   * @throws CronFanoutError `JobCodeNotFound`, `JobModuleNotFound` or `JobModuleNotBuilt`
   */
  static fromDirectory(directory: string, options: JobCodeOptions): JobCode {
    const absolute = resolve(directory);
    if (!statSync(absolute, { throwIfNoEntry: false })?.isDirectory()) {
      throw new CronFanoutError('JobCodeNotFound', {
        what: 'directory of JobCode.fromDirectory',
        received: `${directory} (tried ${absolute})`,
        allowed: 'a directory that exists',
        change: 'build the job modules before the synth, or correct the path, for example with join(__dirname, ...)',
      });
    }
    const root = realpathSync(absolute);
    return new JobCode(root, checkedModule(root, options.module));
  }

  private constructor(
    /** Absolute path of the directory. */
    readonly directory: string,
    /** Path of the job module relative to the directory, with forward slashes. */
    readonly module: string,
  ) {}
}

function checkedModule(directory: string, module: string): string {
  const absolute = resolve(directory, module);
  const inside = relative(directory, absolute);
  if (inside.startsWith('..') || isAbsolute(inside) || !statSync(absolute, { throwIfNoEntry: false })?.isFile()) {
    throw new CronFanoutError('JobModuleNotFound', {
      what: 'module of JobCode.fromDirectory',
      received: `${module} (tried ${absolute})`,
      allowed: `a file inside of ${directory}`,
      change: 'give the path of the built job module relative to the directory',
    });
  }
  if (!['.js', '.mjs', '.cjs'].includes(extname(absolute))) {
    throw new CronFanoutError('JobModuleNotBuilt', {
      what: 'module of JobCode.fromDirectory',
      received: `${module} (${absolute})`,
      allowed: 'a built module: .js, .mjs or .cjs',
      change: 'name the output of your build, or give the source as `entry` and leave building it to the construct',
    });
  }
  return inside.replaceAll('\\', '/');
}
