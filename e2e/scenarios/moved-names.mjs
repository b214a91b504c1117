// Loaded before a gateway: a double of the name server. The file `names` in its home says what each name ending in .test
// means: a list of addresses, `hangs` or `fails`. Each lookup of one is a line in the file `lookups`.
import dns from 'node:dns/promises'
import { appendFileSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const at = (name) => join(process.env.HOME, name)
const failed = (code, hostname) => Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code })
const { lookup } = dns
dns.lookup = async (hostname, options) => {
  if (!hostname.endsWith('.test')) return lookup(hostname, options)
  appendFileSync(at('lookups'), `${hostname}\n`)
  const means = JSON.parse(readFileSync(at('names'), 'utf8'))[hostname]
  if (means === 'hangs') return new Promise(() => undefined)
  if (means === 'fails') throw failed('ESERVFAIL', hostname)
  if (means === undefined) throw failed('ENOTFOUND', hostname)
  return means.map((address) => ({ address, family: 4 }))
}
syncBuiltinESMExports()
