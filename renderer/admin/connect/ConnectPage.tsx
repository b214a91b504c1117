// Connects agents: those of this computer by click, others by a snippet.
import { Link } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { hasAgents } from '../../api/agents.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useUrlParams } from '../../url-params.ts'
import { AgentsView } from './AgentsView.tsx'
import { ByHand } from './ByHand.tsx'

export function ConnectPage() {
  const [params, change] = useUrlParams()
  const here = hasAgents()
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title="Connect a client"
        about={
          here
            ? 'Each agent gets its own key, limited to what you choose.'
            : 'Choose the access, then paste the snippet into the client. Use a separate key for each client.'
        }
        actions={
          <Link to="/keys" className={buttonClass(here ? {} : { look: 'strong' })}>
            <KeyRound />
            Mint a key
          </Link>
        }
      />
      {here ? (
        <Tabs
          label="How to connect"
          open={params.way}
          onOpen={(way) => change({ way })}
          tabs={[
            { key: 'agents', title: 'On this computer', body: <AgentsView /> },
            {
              key: 'by-hand',
              title: 'Manually',
              body: (
                <div className="flex h-full flex-col pt-4">
                  <ByHand />
                </div>
              ),
            },
          ]}
        />
      ) : (
        <ByHand />
      )}
    </div>
  )
}
