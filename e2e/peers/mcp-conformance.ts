// The fixture upstream behind which the conformance suites are run.
export { type ConformancePeer, startConformancePeer } from './conformance/server.ts'
