import { CronFanoutError } from '../../../../lambda/contract';
import { failing, harness } from './harness';

describe('the settings of an event source mapping', () => {
  it.each([
    ['batchSize', { batchSize: 11 }, 'InvalidMappingOption'],
    ['batchSize', { batchSize: 0 }, 'InvalidMappingOption'],
    ['maximumConcurrency', { maximumConcurrency: 1 }, 'InvalidMappingOption'],
    ['maximumConcurrency', { maximumConcurrency: 1001 }, 'InvalidMappingOption'],
    ['functionTimeoutSeconds', { functionTimeoutSeconds: 901 }, 'InvalidMappingOption'],
    ['functionTimeoutSeconds', { functionTimeoutSeconds: 31 }, 'FunctionTimeoutAboveVisibility'],
  ])('refuses a %s that Lambda would refuse: %j', (name, options, code) => {
    const construct = (): unknown => harness(failing(), options);
    expect(construct).toThrow(CronFanoutError);
    expect(construct).toThrow(new RegExp(`${name} of the event source mapping.*\\[${code}\\]`));
  });
});
