// Every rule of the three documents.
import { amendments } from './contract/00-amendments.ts'
import { conventions } from './contract/01-conventions.ts'
import { access } from './contract/02-access.ts'
import { operations } from './contract/03-operations.ts'
import { registration } from './contract/04-registration.ts'
import { guardStack } from './contract/05-guard-stack.ts'
import { mcp } from './contract/05-mcp.ts'
import { controlPlane } from './contract/06-control-plane.ts'
import { curationAndAccess } from './contract/07-curation-and-access.ts'
import { identityAndBackends } from './contract/07-identity-and-backends.ts'
import { observabilityAndOperations } from './contract/07-observability-and-operations.ts'
import { perTool } from './contract/08-per-tool.ts'
import { perBackend } from './contract/09-per-backend.ts'
import { records as contractRecords } from './contract/10-records.ts'
import { webhooks } from './contract/11-webhooks.ts'
import { configDocument } from './contract/12-config-document.ts'
import { audit } from './contract/13-audit.ts'
import { metrics } from './contract/14-metrics.ts'
import { tracing } from './contract/15-tracing.ts'
import { secrets } from './contract/16-secrets.ts'
import { settings } from './contract/17-settings.ts'
import { errorCodes } from './contract/18-error-codes.ts'
import { decisions } from './contract/19-decisions.ts'
import { auth } from './gateway/auth.ts'
import { events } from './gateway/events.ts'
import { product } from './gateway/product.ts'
import { records } from './gateway/records.ts'
import { routes } from './gateway/routes.ts'
import { settingRules } from './gateway/settings.ts'
import { general } from './pcg-tools/general.ts'
import { graphs } from './pcg-tools/graphs.ts'
import { world } from './pcg-tools/world.ts'
import type { Rule } from './rule.ts'

export const RULES: readonly Rule[] = [
  ...product,
  ...records,
  ...routes,
  ...auth,
  ...events,
  ...settingRules,
  ...general,
  ...graphs,
  ...world,
  ...amendments,
  ...conventions,
  ...access,
  ...operations,
  ...registration,
  ...mcp,
  ...guardStack,
  ...controlPlane,
  ...identityAndBackends,
  ...curationAndAccess,
  ...observabilityAndOperations,
  ...perTool,
  ...perBackend,
  ...contractRecords,
  ...webhooks,
  ...configDocument,
  ...audit,
  ...metrics,
  ...tracing,
  ...secrets,
  ...settings,
  ...errorCodes,
  ...decisions,
]
