import { App, Aspects } from 'aws-cdk-lib';
import { EvaluablePolicies } from './evaluable-policies';
import { RecordStack, type RecordStackOptions } from './record-stack';

/** Environment variables of the app. */
const { DEPLOY_TEST_STACK, DEPLOY_TEST_EVALUABLE_POLICIES } = process.env;

const app = new App();
new RecordStack(app, 'Round', JSON.parse(DEPLOY_TEST_STACK ?? '{}') as RecordStackOptions);
if (DEPLOY_TEST_EVALUABLE_POLICIES === 'true') {
  Aspects.of(app).add(new EvaluablePolicies());
}
