// The routes that lead a client here: install links and snippets.
import type { FastifyInstance } from 'fastify'
import { CONNECT } from '../contract/index.ts'
import { type ConnectParts, connectHandlers, installLinkHandlers } from './install-links.ts'
import { type MountParts, mount } from './mount.ts'

export function mountConnect(app: FastifyInstance, parts: MountParts & ConnectParts): void {
  mount(app, CONNECT.installLinks, installLinkHandlers(parts), parts)
  mount(app, CONNECT.connect, connectHandlers(parts), parts)
}
