import { ENVIRONMENT } from '../../../lambda/contract';
import { createScannerHandler } from '../../../lambda/scanner/entry';
import { CONFIGURATION, jobOver, tick } from './fixture';

const context = { getRemainingTimeInMillis: () => 60_000 };
const names = [...Object.values(ENVIRONMENT), 'AWS_LAMBDA_FUNCTION_NAME', 'AWS_REGION'];
const before = new Map(names.map((name) => [name, process.env[name]]));

afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) {
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- an environment variable has no other way to be absent
      delete process.env[name];
    } else {
      process.env[name] = value;
    }
  }
});

function setEnvironment(): void {
  process.env[ENVIRONMENT.fanoutId] = 'F';
  process.env[ENVIRONMENT.stateTable] = 'state';
  process.env[ENVIRONMENT.queueUrl] = 'http://127.0.0.1/queue.fifo';
  process.env[ENVIRONMENT.configuration] = JSON.stringify(CONFIGURATION);
  process.env.AWS_LAMBDA_FUNCTION_NAME = 'scanner';
  process.env.AWS_REGION = 'eu-central-1';
}

describe('createScannerHandler', () => {
  it('reads nothing before the first invocation, and names what the environment lacks then', async () => {
    const handler = createScannerHandler({ default: jobOver(() => []) });
    await expect(handler(tick(), context)).rejects.toMatchObject({ code: 'MissingEnvironment' });
  });

  it('fails on a module without jobs', async () => {
    setEnvironment();
    await expect(createScannerHandler({ other: 1 })(tick(), context)).rejects.toMatchObject({ code: 'NoJobs' });
  });

  it('builds a scanner that reads its events', async () => {
    setEnvironment();
    const handler = createScannerHandler({ default: jobOver(() => []) });
    await expect(handler({ kind: 'other' }, context)).rejects.toMatchObject({ code: 'InvalidScannerEvent' });
  });

  it('tells of policies for jobs that the module does not have', async () => {
    setEnvironment();
    process.env[ENVIRONMENT.configuration] = JSON.stringify({ ...CONFIGURATION, jobs: { 'booking.remindr': {} } });
    const written: string[] = [];
    const streams = [process.stdout, process.stderr].map((stream) =>
      jest.spyOn(stream, 'write').mockImplementation((text) => {
        written.push(String(text));
        return true;
      }),
    );
    const handler = createScannerHandler({ default: jobOver(() => []) });
    await expect(handler({ kind: 'other' }, context)).rejects.toThrow();
    for (const stream of streams) {
      stream.mockRestore();
    }
    const told = written.join('');
    expect(told).toContain('"unused":["booking.remindr"]');
    expect(told).toMatch(/"known":\["[^"]+"\]/);
  });
});
