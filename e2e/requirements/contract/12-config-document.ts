// Section 12: the config document.
import { rules } from '../rule.ts'

export const configDocument = rules(
  'ct.12',
  `
  shape        1020  -           The document has kind, version 1 and the listed sections.
  client       1024  -           A client holds its registration, features and tools.
  bytes        1026  -           Two exports of unchanged configuration are byte-identical, and YAML is the same data.
  defaults     1026  -           Defaults and unset features are omitted inside tools.
  names        1027  -           Natural names stand for ids.
  secrets      1028  -           Secrets are references and allowlists are hashes.
  excluded     1029  -           Users, keys, links, secret values and call data are not in it.
  merge        1030  -           Merge creates and updates what is named and leaves the rest.
  replace      1030  -           Replace also deletes members of sections present, never backends.
  unknown      1030  -           Unknown keys are skipped with a reason.
  register     1030  -           A client that is not registered is skipped or registered on request.
  needs-secret 1031  -           A reference without a stored secret is listed in needsSecret.
  env          1031  -           An env reference is read from GANTRY_SECRET_ names only.
  transaction  1032  -           An import is one transaction, and dryRun computes the same without writing.
  snapshot     1032  -           An import takes a snapshot first.
  versions     1032  -           Only version 1 is accepted, with or without kind.
  rollback     1033  -           A rollback replaces the covered sections and reports what is gone.
`,
)
