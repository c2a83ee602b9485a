import type { TypedPage } from "./typed-page.ts";

const API = `
URL=http://127.0.0.1:4664
api() { curl -sS -H "Authorization: Bearer $(cat ~/.local/share/holdfast/token)" "$@"; }
json() { api -H 'Content-Type: application/json' "$@"; }`;
const SESSION = `ID=$(holdfast create --repo . --title Typed)`;
/** The last line of a server that has started. */
const READY = /^ *Stop /mu;
const PID = "$(jq .pid ~/.local/share/holdfast/server.json)";
const HOST_PID = "$(jq .pid ~/.local/share/holdfast/host/host.json)";
const STOPPED = `kill ${PID}
while test -e ~/.local/share/holdfast/server.json; do sleep 0.1; done`;

const OTHER_SERVER = `holdfast serve --port 0 --data ~/other > ~/other.log &
until test -e ~/other/server.json; do sleep 0.1; done
OTHER_URL=$(jq -r .url ~/other/server.json); OTHER_TOKEN=$(cat ~/other/token)`;

/** Pages whose commands are typed, in a Git repository. A server runs already, and \`holdfast\` is installed. */
export const PAGES: readonly TypedPage[] = [
  {
    page: "README.md",
    isInClone: true,
    needs: ["curl", "jq", "pgrep"],
    treatments: {
      "npm start": { besides: READY },
      "npm test": { notTyped: "it runs this test" },
      "holdfast send $id Hello": { shows: /demo agent/u },
      'holdfast send $id "count to 300"': { besides: /\b5, /u },
      // Other servers may run on this machine.
      'pkill -9 -f "holdfast.js serve"': {
        instead: `pgrep -f "holdfast.js serve" | grep -x ${PID} &&
          ! pgrep -f "holdfast.js serve" | grep -x ${HOST_PID} && kill -9 ${PID}`,
      },
      "pkill -9 -f demo-agent.js": {
        once: /Connected again\.[^]*\d, \d+, /u,
        instead: `! pgrep -f demo-agent.js | grep -x -e ${PID} -e ${HOST_PID} &&
          pkill -9 -P ${HOST_PID} -f demo-agent.js`,
        leadsTo: /Failed: Demo agent/u,
      },
      'holdfast send $id "go on"': { until: /counting slowly to 300[^]*\b5, /u },
      "holdfast init": { shows: /demo/u, adds: "--yes" },
      'holdfast send $id "Explain': { shows: /\w/u },
      "holdfast send $id --provider claude": { notTyped: "Claude must be installed" },
      "curl -H": { shows: /"title":"First steps"/u },
      "curl --unix-socket": { shows: /"title":"First steps"/u },
    },
  },
  {
    page: "docs/command-line.md",
    isInClone: true,
    treatments: {
      "holdfast up": { shows: /http:\/\/127\.0\.0\.1:/u },
      "holdfast status": { shows: /http:\/\/127\.0\.0\.1:/u },
      "holdfast logs": { shows: /"msg":/u },
      "holdfast down": { shows: /^Stopped /mu },
    },
  },
  {
    page: "docs/deployment.md",
    isInClone: true,
    treatments: {
      "npm start -- --host": { until: READY },
      "npm start": { until: READY },
      "holdfast up": { shows: /http:\/\/127\.0\.0\.1:/u },
      "holdfast service install": { shows: /\[Service\]|<plist/u, adds: "--print" },
      "npm ci": { notTyped: "test/packages and test/deployment.test.ts install the package" },
      "npm pack": { notTyped: "as above" },
      "sudo ": { notTyped: "it changes the machine; test/deployment.test.ts starts the service" },
      "alias holdfast-service": { notTyped: "as above" },
      "holdfast-service ": { notTyped: "as above" },
      "docker ": { notTyped: "there is no Docker here" },
      "printf ": { notTyped: "as above" },
      "for node": { notTyped: "as above" },
    },
  },
  {
    page: "docs/configuration.md",
    isInClone: true,
    treatments: { HOLDFAST_GIT_OWNERS: { until: READY } },
  },
  {
    page: "docs/sandbox.md",
    treatments: {
      "sudo ": { notTyped: "it installs packages" },
      "holdfast doctor": { shows: /sandbox/u },
    },
  },
  {
    page: "docs/http-api.md",
    needs: ["curl", "jq"],
    treatments: {
      "api -N $URL/api/sessions/$ID/events ": { until: /event: delta\n/u },
      'json $URL/api/sessions/$ID/messages -d \'{"text":"Why': { shows: /"position":/u },
      "api $URL/api/sessions/$ID ": { shows: /"title":"The build"/u },
      'api "$URL/api/sessions?q=': { shows: /The build/u },
      'api "$URL/api/repos/': { shows: /^parse\.ts$/mu },
      "api -N $URL/api/sessions/$ID/events": { until: /event: message\n/u },
      "QUESTION=": { again: true },
      "api $URL/api/suspensions | jq '.suspensions[0].request.options'": {
        shows: /"allow_once"/u,
      },
      "json $URL/api/sessions/$ID/resume": { shows: /"state":"running"/u },
      "api -T session-": { shows: /"title":"The build"/u },
      "api $URL/api/nodes | jq": { shows: /"draining": true/u },
      "json $URL/api/tokens": { shows: /^hf_[\w-]+/mu },
    },
  },
  {
    page: "docs/agent-tools.md",
    needs: ["curl", "jq"],
    before: API,
    treatments: {
      "QUESTION=": { notTyped: "no agent asks here; test/e2e/agent-tools.test.ts answers one" },
      "ID=": { notTyped: "as above" },
      "json $URL/api/sessions/$ID/resume": { notTyped: "as above" },
      "json $URL/api/events/": { shows: /"answered":0/u },
    },
  },
  {
    page: "docs/command-line-json.md",
    before: SESSION,
    treatments: { "holdfast repos --json": { shows: /^\{"jsonVersion":1,"repos":\[\{"id":/u } },
  },
  {
    page: "docs/backup.md",
    before: `${SESSION}; mkdir -p /backups`,
    treatments: {
      "pg_dump ": { notTyped: "it belongs to PostgreSQL" },
      "pg_restore ": { notTyped: "as above" },
    },
  },
  {
    page: "docs/gaia.md",
    needs: ["python3"],
    before: `mkdir -p .claude/session/agent-20260108-180530-abc12345 tools/4-memory
echo '{"agent_id": "agent-20260108-180530-abc12345", "agent_name": "a", "purpose": "p", "phase": "planning",
 "created_at": "2026-01-08T18:05:30+00:00", "last_updated": "2026-01-08T18:05:30+00:00", "resume_ready": true, "history": [],
 "metadata": {}, "error_count": 0, "last_error": null}' \
  > .claude/session/agent-20260108-180530-abc12345/state.json`,
    treatments: {
      "holdfast import": { shows: /1 imported|"imported":1|imported\t1/u },
      "python3 ": { shows: /agent-20260108-180530-abc12345/u },
    },
  },
  {
    page: "docs/hooks.md",
    before: `holdfast create --agent terraform-architect --id agent-20260108-180530-abc12345
holdfast update agent-20260108-180530-abc12345 --phase approval`,
    treatments: {
      'echo \'{"agent_name"': { shows: /"should_resume": ?true/u },
      'echo \'{"task_info"': { shows: /"finalized": ?true/u },
      "holdfast hook install": { shows: /settings/u, adds: "--yes" },
    },
  },
  {
    page: "docs/changes.md",
    before: `git config user.name Ada; git config user.email ada@example.com
git commit --quiet --allow-empty --message first; git branch --move --force main
ID=$(holdfast create --repo . --worktree --title Typed)
holdfast send $ID "edit a file"; holdfast resume $ID --answer allow
until holdfast get $ID | grep -q '"state": *"idle"'; do sleep 0.1; done`,
    treatments: {
      "holdfast changes $ID   ": { shows: /HOLDFAST-DEMO\.md/u },
      "holdfast changes $ID --run last --patch": { shows: /^\+# Written by/mu },
      "holdfast changes $ID --runs": { shows: /edit a file/u },
      "holdfast rewind $ID --to last --dry-run": { shows: /HOLDFAST-DEMO\.md\tis removed/u },
      "holdfast rewind $ID --to last": { shows: /^Rewound\./mu, adds: "--yes" },
      "holdfast rewind $ID --undo": { shows: /^The rewind is undone\./mu, adds: "--yes" },
      "holdfast commit $ID": { shows: /^Committed 1 file/mu },
      "holdfast rebase $ID": { shows: /^Rebased 0 commits onto main/mu },
      "holdfast merge $ID": { shows: /^Merged into main/mu },
      "holdfast push $ID": { notTyped: "a remote repository must be configured" },
      "holdfast pull-request $ID": { notTyped: "as above" },
      "holdfast compare": { notTyped: "the agents must be installed" },
    },
  },
  {
    page: "docs/metrics.md",
    treatments: { "holdfast token create": { shows: /^hf_[\w-]+/mu } },
  },
  {
    page: "docs/logging.md",
    needs: ["jq"],
    before: `${SESSION}; holdfast send $ID Hello`,
    treatments: { "holdfast logs -f": { until: /agent started/u } },
  },
  {
    page: "docs/moving.md",
    needs: ["curl", "jq"],
    before: `${API}\n${SESSION}\n${OTHER_SERVER}
TOKEN=$(cat ~/.local/share/holdfast/token)`,
    treatments: {
      "holdfast import": { prepare: "holdfast delete $ID --yes", shows: /^agent-/u },
      "curl -sS": { shows: /"title":"Typed"/u },
      "holdfast db copy --from ~": { prepare: STOPPED, shows: /^/u },
    },
  },
];

/** Pages whose commands are not typed, and why. */
export const NOT_TYPED: Readonly<Record<string, string>> = {
  "CONTRIBUTING.md": "they run the tests",
  "docs/agents.md": "they run the tests with real agents",
  "docs/editors.md": "they run another client of the protocol, which is not installed here",
  "docs/orchestrators.md": "they run other clients and agents, which are not installed here",
  "docs/releasing.md": "they publish",
  "packages/server/README.md": "test/packages installs the package",
  "docs/failure-matrix.md": "they run the crash matrix",
};
