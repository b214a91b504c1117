// The public and operations routes, as `/docs` describes them. The HTTP front answers them; no handler is mounted from here. Contract 3.
import { z } from 'zod'
import { routes } from '../route.ts'

const Ready = z.object({
  status: z.enum(['ready', 'not_ready']),
  reasons: z.array(z.enum(['not_leader', 'db_unavailable', 'shutting_down'])),
})

export const operations = routes({
  health: {
    method: 'GET',
    path: '/health',
    access: 'public',
    summary: 'Whether the process answers, and for how long it has',
    reply: z.object({ status: z.literal('ok'), uptime_seconds: z.number() }),
  },
  livez: {
    method: 'GET',
    path: '/livez',
    access: 'public',
    summary: 'Always 200 while the process answers HTTP',
    reply: z.object({ status: z.literal('ok') }),
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    access: 'public',
    summary: '200 when this instance leads and the database answers, else 503 with the reasons',
    reply: Ready,
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    access: 'viewer',
    summary: 'Metrics in the Prometheus text format 0.0.4',
    produces: ['text/plain'],
  },
  llmsTxt: {
    method: 'GET',
    path: '/llms.txt',
    access: 'public',
    summary: 'What this server is, for a model',
    produces: ['text/plain'],
    rateLimit: 'llms',
  },
  admin: { method: 'GET', path: '/admin', access: 'public', summary: 'The admin application', produces: ['text/html'] },
  docs: {
    method: 'GET',
    path: '/docs',
    access: 'viewer',
    summary: 'This description as a page, or as JSON when that is accepted',
    produces: ['text/html', 'application/json'],
  },
  openApiJson: {
    method: 'GET',
    path: '/docs/openapi.json',
    access: 'viewer',
    summary: 'This description as JSON',
    produces: ['application/json'],
  },
  openApiYaml: {
    method: 'GET',
    path: '/docs/openapi.yaml',
    access: 'viewer',
    summary: 'This description as YAML',
    produces: ['application/yaml'],
  },
})
