// Does what somebody on call does at night, and prints how many keys each task takes: `npm run keys`.
import {runTests} from '../torture/tests.ts';

const {measured, isMet} = await runTests({paths: ['test/deck/on-call-keys.test.ts']}, 'whole');
console.log(measured.split('; ').join('\n'));
process.exitCode = isMet ? 0 : 1;
