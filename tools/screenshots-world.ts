// The upstreams behind the gateway in the pictures: a studio's services, small, answered from memory.
import { createServer, type Server } from 'node:http'
import { listening } from '../gateway/net/listening.fixture.ts'

type Operation = readonly [
  id: string,
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  summary: string,
  arguments_?: Readonly<Record<string, object>>,
]

const text = (description: string): object => ({ type: 'string', description })
const whole = (description: string): object => ({ type: 'integer', description, minimum: 1 })

const SERVICES: Readonly<Record<string, { readonly about: string; readonly operations: readonly Operation[] }>> = {
  'asset-library': {
    about: 'Meshes, materials and their licences',
    operations: [
      [
        'searchAssets',
        'get',
        '/assets',
        'Search assets by words, kind and licence',
        {
          q: text('Words'),
          kind: { type: 'string', enum: ['mesh', 'material', 'texture', 'sound'], description: 'Kind of asset' },
          limit: whole('At most this many'),
        },
      ],
      ['getAsset', 'get', '/assets/{id}', 'One asset with its files and dependencies', { id: text('Asset id') }],
      [
        'uploadAsset',
        'post',
        '/assets',
        'Upload a new version of an asset',
        { name: text('Name'), version: text('Version') },
      ],
      ['retireAsset', 'delete', '/assets/{id}', 'Retire an asset; scenes keep their copies', { id: text('Asset id') }],
    ],
  },
  'build-farm': {
    about: 'Builds, cooks and test runs',
    operations: [
      ['listBuilds', 'get', '/builds', 'Recent builds of a branch, newest first', { branch: text('Branch') }],
      [
        'startBuild',
        'post',
        '/builds',
        'Start a build of a branch for a platform',
        {
          branch: text('Branch'),
          platform: { type: 'string', enum: ['win64', 'linux', 'ps5', 'switch'], description: 'Platform' },
        },
      ],
      ['cancelBuild', 'delete', '/builds/{id}', 'Cancel a running build', { id: text('Build id') }],
      [
        'getTestReport',
        'get',
        '/builds/{id}/tests',
        'Failed tests of a build with their first lines',
        { id: text('Build id') },
      ],
    ],
  },
  'bug-tracker': {
    about: 'Issues of all teams',
    operations: [
      [
        'findIssues',
        'get',
        '/issues',
        'Find issues by words, owner and state',
        { q: text('Words'), owner: text('Owner') },
      ],
      [
        'createIssue',
        'post',
        '/issues',
        'Create an issue',
        { title: text('Title'), body: text('What happens, what should happen') },
      ],
      [
        'closeIssue',
        'put',
        '/issues/{id}/state',
        'Close an issue with a reason',
        { id: text('Issue id'), reason: text('Why') },
      ],
    ],
  },
  'player-telemetry': {
    about: 'Where players go, and where they give up',
    operations: [
      [
        'heatmap',
        'get',
        '/heatmaps/{level}',
        'Where players die or stop, as a grid',
        { level: text('Level'), since: text('Date') },
      ],
      ['funnel', 'get', '/funnels/{name}', 'Steps of a funnel with their losses', { name: text('Funnel') }],
    ],
  },
}

function documentOf(name: string): object {
  const service = SERVICES[name]
  const paths: Record<string, Record<string, object>> = {}
  for (const [operationId, method, path, summary, args = {}] of service?.operations ?? []) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key)
    const own = Object.entries(args).filter(([key]) => !inPath.includes(key))
    paths[path] = {
      ...paths[path],
      [method]: {
        operationId,
        summary,
        parameters: [
          ...inPath.map((key) => ({ name: key, in: 'path', required: true, schema: args[key ?? ''] })),
          ...(method === 'get' ? own.map(([key, schema]) => ({ name: key, in: 'query', schema })) : []),
        ],
        ...(method === 'post' || method === 'put'
          ? {
              requestBody: {
                content: {
                  'application/json': {
                    schema: {
                      type: 'object',
                      properties: Object.fromEntries(own),
                      required: own.slice(0, 1).map(([key]) => key),
                    },
                  },
                },
              },
            }
          : {}),
      },
    }
  }
  return { openapi: '3.1.0', info: { title: name, description: service?.about, version: '1.0' }, paths }
}

export type World = { readonly url: string; readonly backends: readonly object[]; readonly end: () => Promise<void> }

/** Each service on a path of its own; `build-farm` has a bad day. */
export async function startWorld(): Promise<World> {
  const server: Server = createServer((request, response) => {
    const [, name = '', ...rest] = (request.url ?? '').split(/[/?]/)
    const path = rest.join('/')
    const status = path.startsWith('openapi') || path.startsWith('health') || name !== 'build-farm' ? 200 : 503
    const body = path.startsWith('openapi')
      ? documentOf(name)
      : { ok: status === 200, items: [{ id: 'a-17', name: 'birch_large', kind: 'mesh' }] }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const { url, close } = await listening(server)
  const base = (name: string): string => `${url}/${name}`
  return {
    url,
    backends: Object.entries(SERVICES).map(([name, { about }]) => ({
      name,
      description: about,
      openapi_url: `${base(name)}/openapi.json`,
      base_url: base(name),
      health_url: `${base(name)}/health`,
    })),
    end: close,
  }
}
