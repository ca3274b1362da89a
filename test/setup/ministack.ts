import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startExternalServer, type ExternalServer } from './external-server';

/** Where `scripts/install-tools.mjs python` puts its programs. */
export const PYTHON_TOOLS = join(__dirname, '..', '..', '.ministack', 'venv', 'bin');

/** Region of everything that is deployed. */
export const REGION = 'eu-central-1';

/** A running MiniStack. */
export interface MiniStack extends ExternalServer {
  /** URL of every service. */
  readonly endpoint: string;
  /** The account of this run: nobody else's, so that no cache holds anything of it. */
  readonly account: string;
  /** The certificate to trust, where it serves by TLS. */
  readonly authority?: string;
  /** What clients and the CDK CLI need in their environment to work with it, and with nothing else. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How a MiniStack is to behave. */
export interface MiniStackOptions {
  /** Evaluates policies, of roles and of resources; by TLS, which the policies of the queues demand. @default false */
  readonly enforcesPolicies?: boolean;
}

/** Starts MiniStack on loopback. Its functions run under the machine's node. */
export async function startMiniStack({ enforcesPolicies = false }: MiniStackOptions = {}): Promise<MiniStack> {
  const tls = enforcesPolicies ? makeCertificate() : undefined;
  try {
    return await start(tls);
  } catch (error) {
    tls?.remove();
    throw error;
  }
}

async function start(tls: Certificate | undefined): Promise<MiniStack> {
  const account = String(randomInt(100_000_000_000, 999_999_999_999));
  const server = await startExternalServer({
    name: 'MiniStack',
    command: () => [join(PYTHON_TOOLS, 'python'), '-m', 'ministack'],
    environment: (port, folder) => ({
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MINISTACK_HOST: '127.0.0.1',
      MINISTACK_REGION: REGION,
      STATE_DIR: folder,
      LAMBDA_EXECUTOR: 'local',
      IOT_MTLS_ENABLED: '0',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      ...(tls === undefined
        ? {}
        : {
            AUTH: 'true',
            USE_SSL: '1',
            MINISTACK_SSL_CERT: tls.certificate,
            MINISTACK_SSL_KEY: tls.key,
            NODE_EXTRA_CA_CERTS: tls.certificate,
          }),
    }),
    isReady: accepts,
  });
  const endpoint = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}`;
  const environment = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    // MiniStack takes a key of twelve digits for the root user of that account.
    AWS_ACCESS_KEY_ID: account,
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...(tls === undefined ? {} : { NODE_EXTRA_CA_CERTS: tls.certificate, AWS_CA_BUNDLE: tls.certificate }),
  };
  const stop = async (): Promise<void> => {
    await server.stop();
    tls?.remove();
  };
  return { ...server, stop, endpoint, account, environment, ...(tls === undefined ? {} : { authority: tls.text }) };
}

/** Whether somebody listens: MiniStack does once it has started. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      })
      .once('error', () => {
        resolve(false);
      });
  });
}

interface Certificate {
  /** Files. */
  readonly certificate: string;
  readonly key: string;
  /** The certificate itself. */
  readonly text: string;
  remove(): void;
}

/** Makes a certificate for 127.0.0.1 that signs itself. */
function makeCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'cron-fanout-'));
  const certificate = join(folder, 'certificate.pem');
  const key = join(folder, 'key.pem');
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'],
      ...['-addext', 'basicConstraints=critical,CA:FALSE', '-keyout', key, '-out', certificate],
    ],
    { stdio: 'pipe' },
  );
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  return { certificate, key, text: readFileSync(certificate, 'utf8'), remove };
}
