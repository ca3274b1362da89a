/* Main module of the embedded DynamoDB: its own process, since it would keep a core of the local run busy. argv[2] is the path of dynalite. */
import { createRequire } from 'node:module';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Dynalite = (options: Record<string, number>) => Server;

const requireFrom = createRequire(__filename);
const dynalite = requireFrom(process.argv[2] ?? 'dynalite') as Dynalite;
const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
// Longer than any client keeps an idle connection: a request must not meet a connection that is being closed.
server.keepAliveTimeout = 0;

process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
