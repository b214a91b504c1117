// Loaded before a gateway whose scenarios are not about what a password costs: its scrypt does a sliver of the work.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const COSTLY = 2 ** 17
const { scrypt } = crypto
crypto.scrypt = (password, salt, length, options, done) =>
  scrypt(password, salt, length, options.N === COSTLY ? { ...options, N: 16 } : options, done)
syncBuiltinESMExports()
