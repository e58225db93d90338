/** The one key and region of the tests' servers; apart from the SDK, which the server's process must not load. */
export const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret/of+the=tests' };
export const region = 'eu-central-1';
