// A caller without any right beyond being let in: what every kind of caller is made from.
import type { DataPlaneCaller } from './credential.ts'
import { everything } from './key-scope.ts'

export const NOBODY: Omit<DataPlaneCaller, 'name' | 'kind'> = {
  keyHash: null,
  keyId: null,
  elevated: false,
  consumerId: null,
  teamId: null,
  adminRole: null,
  bundles: null,
  mayReach: everything,
  onEnd: null,
}
