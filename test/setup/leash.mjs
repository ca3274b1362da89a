/**
 * Runs a command in a process group of its own, and ends the whole group when the process that asked for it is gone, however that came: its end closes
 * the pipe that is standard input here.
 *
 * Usage: node leash.mjs COMMAND [PARAMETER...]
 */
import { spawn } from 'node:child_process';

const [command, ...parameters] = process.argv.slice(2);
const child = spawn(command, parameters, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
/** Time for an orderly end. */
const GRACE_MS = 3000;

function signalGroup(signal) {
  try {
    process.kill(-child.pid, signal);
    return true;
  } catch {
    return false;
  }
}

let ending = false;
function end() {
  if (!ending) {
    ending = true;
    signalGroup('SIGTERM');
    setTimeout(() => signalGroup('SIGKILL'), GRACE_MS).unref();
    child.exitCode === null && child.signalCode === null ? child.once('exit', finish) : finish();
  }
}

function finish() {
  signalGroup('SIGKILL');
  process.exit(0);
}

child.once('error', (error) => {
  console.error(`${command}: ${error.message}`);
  process.exit(127);
});
child.once('exit', (code) => {
  if (!ending) {
    signalGroup('SIGKILL');
    process.exit(code ?? 1);
  }
});
process.stdin.on('end', end).on('error', end).resume();
process.on('SIGTERM', end).on('SIGINT', end);
