// Property tests ask the same questions in every run, so that a red run is about the change it came with.
// GANTRY_PROPERTY_SEED asks others: a number, or `random`.
import fc from 'fast-check'

const asked = process.env.GANTRY_PROPERTY_SEED ?? '1'
if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked) })
