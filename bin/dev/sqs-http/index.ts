export { startSqsServer, type SqsServer, type SqsServerOptions } from './server';
