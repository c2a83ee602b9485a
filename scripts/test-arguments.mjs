/**
 * What of the arguments of `npm test` is for which of its two runs; null where a run is not wanted. Without
 * arguments both are. With some, the browser's is wanted only where a path names its tests.
 */
export function shareArguments(args) {
  if (args.length === 0) return { tests: [], browserTests: [] };
  const isPath = (arg, index) => !arg.startsWith("-") && !takesValue(args[index - 1]);
  const isTest = (arg, index) => isPath(arg, index) && !namesBrowserTests(arg);
  const isBrowserTest = (arg, index) => isPath(arg, index) && namesBrowserTests(arg);
  if (!args.some(isBrowserTest)) return { tests: args, browserTests: null };
  return {
    tests: args.some(isTest) ? args.filter((...at) => !isBrowserTest(...at)) : null,
    browserTests: args.filter((...at) => !isTest(...at)),
  };
}

function namesBrowserTests(path) {
  return /(^|[/\\])test[/\\]browser([/\\]|$)|\.browser\b/u.test(path);
}

/** What follows it belongs to it: of the options of vitest, those that are used by hand. */
function takesValue(option) {
  return option === "-t" || option === "--testNamePattern" || option === "--reporter";
}
