import { markRun } from '../setup/external-run';

export default markRun;
