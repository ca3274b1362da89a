import { spawn } from 'node:child_process';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A port of this machine at which nobody answers. */
export interface DeafPort {
  readonly port: number;
  close(): Promise<void>;
}

/** A port that refuses connections: it was free a moment ago. */
export async function refusingPort(): Promise<DeafPort> {
  const silent = await silentPort();
  await silent.close();
  return { port: silent.port, close: () => Promise.resolve() };
}

/** A port that takes connections and never says a word. */
export async function silentPort(): Promise<DeafPort> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Listens, then blocks for good: the kernel answers for it until the queue is full. */
const BLOCKED = `
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, server.address().port + '\\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;
/** More than fit into the queue of the kernel. */
const FILLING = 8;

/** A port at which connections are neither accepted nor refused: its queue is full. */
export async function fullPort(): Promise<DeafPort> {
  const child = spawn(process.execPath, ['-e', BLOCKED], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const port = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
  const filling = Array.from({ length: FILLING }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await Promise.race(filling.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  return {
    port,
    close: async () => {
      filling.forEach((socket) => socket.destroy());
      child.kill('SIGKILL');
      await exited;
    },
  };
}
