// The yardstick: a bare Fastify server beside an open better-sqlite3 database, and nothing else.
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const database = new Database(process.env.DB_PATH)
database.pragma('journal_mode = WAL')
database.exec('CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v TEXT)')
const app = Fastify({ logger: false })
app.get('/livez', () => ({ status: 'ok' }))
app.get('/health', () => ({ status: 'ok', uptime_seconds: process.uptime() }))
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`listening on ${url}\n`)
process.on('SIGTERM', () => process.exit(0))
