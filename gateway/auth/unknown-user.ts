// A caller without rights, the base of every kind of caller.
import type { DataPlaneCaller } from './credential.ts'
import { everything } from './key-scope.ts'

export const NO_USER: Omit<DataPlaneCaller, 'name' | 'kind'> = {
  keyHash: null,
  keyId: null,
  elevated: false,
  consumerId: null,
  teamId: null,
  adminRole: null,
  bundles: null,
  mayReach: everything,
  person: null,
  namesPeople: false,
  onEnd: null,
}
