/** What a `jobType` may look like; it is part of keys of the state table, where `#` separates. */
export const JOB_TYPE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** {@link JOB_TYPE_PATTERN} in words, for messages. */
export const JOB_TYPE_RULE = '1 to 64 characters of A-Z a-z 0-9 . _ -, beginning with a letter or digit';
