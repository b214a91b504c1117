// The public keys that update feeds are signed with; `npm run update-key` adds one. With two, either is accepted.
export const UPDATE_KEYS: readonly string[] = []
