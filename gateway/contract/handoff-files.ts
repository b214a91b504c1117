// The folder a configuration becomes: the document, its schema, and what a person needs to run it elsewhere. Pure.
import { type ConfigDoc, configSchema, sortedKeys } from './config-document.ts'
import type { HandoffFile, HandoffItem, HandoffWish } from './handoff.ts'

type Goes = (item: HandoffItem) => boolean

export function filesOf(
  doc: ConfigDoc,
  items: readonly HandoffItem[],
  goes: Goes,
  { version, stringify }: Pick<HandoffWish, 'version' | 'stringify'>,
): HandoffFile[] {
  const variables = items.filter(goes).flatMap((item) => item.variables)
  const head = '# yaml-language-server: $schema=./gantry.schema.json\n'
  return [
    { path: '.env.example', text: envOf(variables) },
    { path: '.gitignore', text: '.env\ndata/\n' },
    { path: 'README.md', text: readmeOf(items, goes, version) },
    { path: 'compose.yaml', text: COMPOSE },
    { path: 'gantry.schema.json', text: `${JSON.stringify(sortedKeys(configSchema()), null, 2)}\n` },
    { path: 'gantry.yaml', text: head + stringify(sortedKeys(doc)) },
  ]
}

const envOf = (variables: HandoffItem['variables']): string =>
  [
    '# Copy to .env and fill in. Never commit .env.',
    '',
    '# Where a built checkout of Gantry lies on the server.',
    'GANTRY_HOME=',
    '# For the first administrator and for `gantry config apply`: openssl rand -hex 32',
    'ADMIN_API_KEYS=',
    '# Seals stored credentials. Keep a copy: without it they cannot be opened.',
    'SECRET_ENCRYPTION_KEY=',
    ...variables.flatMap(({ name, holds }) => ['', `# ${holds}`, `${name}=`]),
    '',
  ].join('\n')

const COMPOSE = `services:
  gantry:
    image: node:24-slim
    command: ["node", "/opt/gantry/dist/gateway/serve.js"]
    env_file: .env
    environment:
      NODE_ENV: production
      HOST: 0.0.0.0
      PORT: "8790"
      DATA_DIR: /data
      DB_PATH: /data/gantry.db
      REQUIRE_MCP_AUTH: "true"
    volumes:
      - \${GANTRY_HOME:?set it in .env}:/opt/gantry:ro
      - ./data:/data
    ports:
      # Behind a proxy that speaks TLS; nothing else may reach it.
      - "127.0.0.1:8790:8790"
    read_only: true
    tmpfs: [/tmp]
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    healthcheck:
      test: ["CMD", "node", "-e", "fetch('http://127.0.0.1:8790/livez').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
      interval: 10s
    restart: unless-stopped
`

function readmeOf(items: readonly HandoffItem[], goes: Goes, version: string): string {
  const list = (title: string, wanted: (item: HandoffItem) => boolean): string => {
    const lines = items
      .filter(wanted)
      .map(({ section, name, why }) => `- ${section} **${name}**${why.length > 0 ? `: ${why.join('; ')}` : ''}`)
    return lines.length === 0 ? '' : `\n## ${title}\n\n${lines.join('\n')}\n`
  }
  return `# Configuration of a Gantry gateway

Made by Gantry ${version}. \`gantry.yaml\` is the configuration, \`gantry.schema.json\` its schema. There is no secret in
this folder: values come from the environment of the gateway, by the names in \`.env.example\`.

\`\`\`
cp .env.example .env            # fill it in
docker compose up -d            # or: set -a; . ./.env; gantry serve
export GANTRY_URL=http://127.0.0.1:8790 GANTRY_ADMIN_KEY=…
gantry config validate .        # without a gateway
gantry config diff .            # what would change; exit code 2 when something would
gantry config apply . --dry-run
gantry config apply .
\`\`\`

\`--prune\` also removes what this folder does not name, never a backend. Users, keys, install links, sessions and call data
stay where they are: make keys on the server. An import takes a snapshot first; \`gantry config rollback <id>\` goes back.
${list('Moves as it is', (item) => goes(item) && item.verdict === 'portable')}${list('Needs a value on the server', (item) => goes(item) && item.verdict === 'needs_value')}${list('Stays behind', (item) => !goes(item))}`
}
