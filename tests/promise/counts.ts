// How often the tests of this folder repeat: a little in `npm test`, many times more by `npm run promise -- --times
// N`.
export const times = Number(process.env.PROMISE_TIMES ?? "1");
