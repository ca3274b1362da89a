import { join } from 'node:path';
import { startExternalServer, type ExternalServer } from '../../setup/external-server';

const JARS = join(__dirname, '..', '..', '..', '.elasticmq', 'lib');

/** Starts ElasticMQ on loopback. */
export function startElasticMq(): Promise<ExternalServer> {
  return startExternalServer({
    name: 'ElasticMQ',
    command: (port) => [
      'java',
      `-Drest-sqs.bind-hostname=127.0.0.1`,
      `-Drest-sqs.bind-port=${port}`,
      `-Dnode-address.host=127.0.0.1`,
      `-Dnode-address.port=${port}`,
      '-Drest-stats.enabled=false',
      '-cp',
      join(JARS, '*'),
      'org.elasticmq.server.Main',
    ],
    environment: () => ({}),
    // Any answer is one of the server.
    isReady: async (port) => (await fetch(`http://127.0.0.1:${port}/?Action=ListQueues`)).status < 500,
  });
}
