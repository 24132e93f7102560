"""Two hundred targets as teams write them, none of which means the same as another."""

UNRELATED = (
    """
message broker|job queue|message format|event schema|event retention|dead letters|cart cache|session store|page cache
cache invalidation|cache warm-up|database|database backups|database migrations|database connection pool|schema naming
table partitioning|read replicas|search index|search ranking|search suggestions|full-text analyzer|vector store
embedding model|embedding batch size|language|type checking|code formatter|linter|import order|docstring style
commit messages|branch naming|branching model|release cadence|release notes|version numbers|changelog|license
code review|pair programming|merge queue|pull request size|feature flags|flag cleanup|rollout|rollback|deployment target
deployment window|container runtime|base image|image registry|orchestration|service mesh|ingress|load balancing
rate limiting|circuit breaker|retries|timeouts|idempotency keys|pagination|API versioning|API style|error format
error codes|webhooks|webhook signatures|authentication|authorization|password hashing|token lifetime|token storage
single sign-on|two-factor login|session expiry|audit log|secrets management|key rotation|encryption at rest
encryption in transit|certificate renewal|vulnerability scanning|dependency updates|dependency pinning|package manager
package layout|monorepo|build tool|build cache|continuous integration|test runner|test data|test isolation|flaky tests
coverage threshold|property tests|load tests|end-to-end tests|browser support|mobile support|frontend framework
state management|styling|design tokens|icon set|accessibility level|localization|time zones|date format
currency rounding|tax calculation|invoice numbering|payment provider|refund policy|shipping carrier|address validation
order states|stock reservation|price history|discount stacking|coupon codes|gift cards|loyalty points
customer support tool
email provider|email templates|push notifications|text messages|newsletter|analytics|event tracking
consent banner
data retention|data export|data deletion|data warehouse|data lake format|batch scheduler|stream processing
report generation|spreadsheet import|file uploads|file storage|image resizing|video transcoding|document preview
PDF rendering|markdown dialect|rich text editor|logging format|log retention|metrics backend|tracing|alert routing
on-call rotation|incident severity|postmortems|status page|service level objectives|capacity planning|cost allocation
cloud provider|region|availability zones|disaster recovery|chaos experiments|development environment|editor settings
local certificates|sample data|seed accounts|documentation site|architecture diagrams|decision records|glossary
onboarding|offboarding|hiring process|meeting notes|working hours|remote policy|expense approval|vendor review
open source policy|contributor agreement|security contact|bug bounty|roadmap|ticket workflow|estimation|sprint length
backlog grooming|definition of done|team names|team topology|domain boundaries|shared kernel|money type
identifier format|clock source|random seeds|floating point|text encoding|line endings|compression|serialization
binary protocol|remote procedure calls|graph queries|graph schema|path finding|similarity threshold|ranking policy
prompt templates|model provider|model temperature|token budget|agent memory|tool permissions|evaluation set
drift alarm|human review
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
