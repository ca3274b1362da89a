import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as prettier from 'prettier';
import '../../setup/environment';
import { startMiniStack } from '../../setup/ministack';
import { connect, startOurs, type ConformanceEndpoint } from '../sqs/endpoint';
import { RULES } from '../sqs/rules';
import { judge, type Verdict } from '../sqs/verdict';
import { startElasticMq } from './elasticmq';
import { render, surprises, type Column } from './table';

/*
 * Writes docs/sqs-conformance.md, or with `--check` compares it; fails where an endpoint does what test/conformance/endpoints/differences.ts does not say.
 */

const ROOT = join(__dirname, '..', '..', '..');
const PAGE = join(ROOT, 'docs', 'sqs-conformance.md');
/** A busy machine can make an endpoint look late; what it does every time is how it is. */
const TRIES = 3;

async function column(
  name: Column['name'],
  version: string,
  start: () => Promise<{ endpoint: ConformanceEndpoint; readonly stop: () => Promise<void> }>,
): Promise<Column> {
  const { endpoint, stop } = await start();
  try {
    let verdicts = await judge(RULES, endpoint.context);
    for (let attempt = 1; attempt < TRIES; attempt++) {
      const odd = new Set(verdicts.filter((verdict) => surprises([{ name, version, verdicts: [verdict] }]).length > 0));
      const again = await judge(
        [...odd].map(({ rule }) => rule),
        endpoint.context,
      );
      verdicts = verdicts.map(
        (verdict): Verdict => again.find(({ rule }) => odd.has(verdict) && rule === verdict.rule) ?? verdict,
      );
    }
    return { name, version, verdicts };
  } finally {
    await endpoint.close();
    await stop();
  }
}

/** Version that a file of pins names. */
function pinned(file: string, pattern: RegExp): string {
  const version = pattern.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1];
  if (version === undefined) {
    throw new Error(`${file} does not match ${String(pattern)}`);
  }
  return version;
}

async function main(isCheck: boolean): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const columns = await Promise.all([
    column('cron-fanout', version, async () => {
      const endpoint = await startOurs();
      return { endpoint, stop: () => Promise.resolve() };
    }),
    column('MiniStack', pinned('test/deploy/requirements.txt', /^ministack==(\S+)$/m), async () => {
      const server = await startMiniStack();
      return { endpoint: connect(server.endpoint), stop: () => server.stop() };
    }),
    column(
      'ElasticMQ',
      pinned('test/conformance/endpoints/pom.xml', /<version>(\d+\.\d[^<]*)<\/version>/),
      async () => {
        const server = await startElasticMq();
        return { endpoint: connect(`http://127.0.0.1:${server.port}`), stop: () => server.stop() };
      },
    ),
  ]);
  const found = surprises(columns);
  const options = await prettier.resolveConfig(PAGE);
  const page = await prettier.format(render(columns), { ...options, parser: 'markdown' });
  if (!isCheck) {
    writeFileSync(PAGE, page);
  } else if (!existsSync(PAGE) || readFileSync(PAGE, 'utf8') !== page) {
    found.push('docs/sqs-conformance.md is not what the endpoints answer: npm run conformance');
  }
  const counts = columns.map(({ name, verdicts }) => {
    const kept = verdicts.filter(({ result }) => result === 'kept').length;
    return `${name} keeps ${kept} of ${verdicts.length}`;
  });
  process.stdout.write(`${[...found, counts.join(', ')].join('\n')}\n`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

void main(process.argv.includes('--check'));
