import { PGlite } from '@electric-sql/pglite';
import { TestEnvironment } from 'jest-environment-node';

/**
 * A test environment with PostgreSQL in process: tests call the global `startPostgres()`. The database is loaded out here because it imports parts of
 * itself while it starts, which the sandbox of a test does not allow.
 */
export default class PostgresEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    this.global.startPostgres = () => PGlite.create();
  }
}
