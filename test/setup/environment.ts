// The tests run on every supported Node; the SDK's notice about the oldest of them is known (docs/decisions/0001-layout.md).
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
// Nothing may look for credentials outside of this machine.
process.env.AWS_EC2_METADATA_DISABLED = 'true';
process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'test';
process.env.AWS_REGION = 'eu-central-1';
