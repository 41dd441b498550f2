package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	temporalcluster "go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

const (
	probeInterval = 10 * time.Millisecond
	probeTimeout  = 5 * time.Second
	stopTimeout   = 10 * time.Second
)

// settings are for one machine and few workflows. Temporal looks at its queues at most 20 times
// a second by default, which costs each step of a workflow up to 50 ms. A new search attribute
// is known at once, and one partition is enough for a task queue.
const settings = `
system.forceSearchAttributesCacheRefreshOnRead: [{value: true}]
system.enableDataLossMetrics: [{value: false}]
system.persistenceHealthSignalMetricsEnabled: [{value: false}]
system.persistenceHealthSignalAggregationEnabled: [{value: false}]
system.historyHealthSignalMetricsEnabled: [{value: false}]
history.transferProcessorMaxPollRPS: [{value: 10000}]
history.timerProcessorMaxPollRPS: [{value: 10000}]
history.visibilityProcessorMaxPollRPS: [{value: 10000}]
history.outboundProcessorMaxPollRPS: [{value: 10000}]
matching.numTaskqueueReadPartitions: [{value: 1}]
matching.numTaskqueueWritePartitions: [{value: 1}]
worker.buildIdScavengerEnabled: [{value: false}]
worker.executionsScannerEnabled: [{value: false}]
worker.historyScannerEnabled: [{value: false}]
worker.taskQueueScannerEnabled: [{value: false}]
`

// server is one running Temporal service.
type server struct {
	address    string
	attributes map[string]enumspb.IndexedValueType
	ports      *ports
	temporal   temporal.Server
}

// start returns when all services listen; they may not be ready.
func start(o options) (_ *server, err error) {
	s := &server{ports: &ports{}}
	defer func() {
		if err != nil {
			s.ports.close()
		}
	}()
	if s.attributes, err = attributeTypes(o.attributes); err != nil {
		return nil, err
	}
	dynamic, err := dynamicSettings(o.dynamic)
	if err != nil {
		return nil, err
	}
	cfg, err := s.configure(o)
	if err != nil {
		return nil, err
	}
	db := cfg.Persistence.DataStores[sqliteplugin.PluginName].SQL
	if o.db != memory {
		if err := createSchema(o.db); err != nil {
			return nil, fmt.Errorf("create tables in %s: %w", o.db, err)
		}
	}
	if err := createNamespace(db, o.namespace, s.attributes); err != nil {
		return nil, fmt.Errorf("create namespace %s: %w", o.namespace, err)
	}
	services := []string{"frontend", "history", "matching"}
	if o.worker {
		services = append(services, "worker")
	}
	level := "error"
	if o.verbose {
		level = "info"
	}
	s.temporal, err = temporal.NewServer(
		temporal.WithConfig(cfg),
		temporal.ForServices(services),
		temporal.WithStaticHosts(hosts(cfg)),
		temporal.WithLogger(log.NewZapLogger(log.BuildZapLogger(log.Config{Level: level}))),
		temporal.WithDynamicConfigClient(dynamic),
	)
	if err != nil {
		return nil, fmt.Errorf("set up temporal: %w", err)
	}
	if err := s.temporal.Start(); err != nil {
		return nil, fmt.Errorf("start temporal: %w", err)
	}
	return s, nil
}

// configure takes the ports. Nothing listens that a test does not need: no HTTP, no metrics, no
// profiler; and with static hosts no membership ring.
func (s *server) configure(o options) (*config.Config, error) {
	services := map[string]config.Service{}
	for _, name := range temporal.DefaultServices {
		var port int
		var err error
		if name == "frontend" && o.port != 0 {
			port, err = o.port, available(o.port)
		} else {
			port, err = s.ports.free()
		}
		if err != nil {
			return nil, err
		}
		services[name] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: loopback}}
	}
	s.address = hostPort(services["frontend"].RPC.GRPCPort)
	return &config.Config{
		Services:     services,
		PublicClient: config.PublicClient{HostPort: s.address},
		Persistence: config.Persistence{
			DefaultStore:     sqliteplugin.PluginName,
			VisibilityStore:  sqliteplugin.PluginName,
			NumHistoryShards: 1,
			DataStores:       map[string]config.DataStore{sqliteplugin.PluginName: {SQL: database(o.db)}},
		},
		ClusterMetadata: &temporalcluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        cluster,
			CurrentClusterName:       cluster,
			ClusterInformation: map[string]temporalcluster.ClusterInformation{
				cluster: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: s.address},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
	}, nil
}

func hosts(cfg *config.Config) map[primitives.ServiceName]static.Hosts {
	h := map[primitives.ServiceName]static.Hosts{}
	for name, service := range cfg.Services {
		h[primitives.ServiceName(name)] = static.SingleLocalHost(hostPort(service.RPC.GRPCPort))
	}
	return h
}

// settingsClient is a fixed dynamic configuration.
type settingsClient dynamicconfig.ConfigValueMap

func (c settingsClient) GetValue(key dynamicconfig.Key) []dynamicconfig.ConstrainedValue {
	return c[key]
}

func dynamicSettings(given []string) (settingsClient, error) {
	l := dynamicconfig.LoadYamlFile([]byte(settings))
	for _, s := range given {
		key, value, _ := strings.Cut(s, "=")
		l.LoadValue(dynamicconfig.MakeKey(key), []byte("- value: "+value))
	}
	if err := errors.Join(append(l.Errors, l.Warnings...)...); err != nil {
		return nil, fmt.Errorf("dynamic config: %w", err)
	}
	return settingsClient(l.Map), nil
}

// ready returns when a client could start a workflow in the namespace.
func (s *server) ready(ctx context.Context, o options) error {
	conn, err := grpc.NewClient(s.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := until(ctx, func(ctx context.Context) error {
		return probe(ctx, conn, o.namespace)
	}); err != nil {
		return fmt.Errorf("wait for namespace %s: %w", o.namespace, err)
	}
	if err := s.addAttributes(ctx, operatorservice.NewOperatorServiceClient(conn), o.namespace); err != nil {
		return fmt.Errorf("add search attributes to %s: %w", o.namespace, err)
	}
	return nil
}

// probe asks the frontend for its health, and through it the history service for a workflow that
// is not there: only a service that owns its shard can say so.
func probe(ctx context.Context, conn *grpc.ClientConn, namespace string) error {
	h, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{
		Service: workflowservice.WorkflowService_ServiceDesc.ServiceName,
	})
	if err != nil {
		return err
	}
	if h.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		return errors.New("frontend is " + h.GetStatus().String())
	}
	_, err = workflowservice.NewWorkflowServiceClient(conn).DescribeWorkflowExecution(ctx,
		&workflowservice.DescribeWorkflowExecutionRequest{
			Namespace: namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: "temporal-test-server"},
		})
	var missing *serviceerror.NotFound
	if err = serviceerror.FromStatus(serviceerror.ToStatus(err)); errors.As(err, &missing) {
		return nil
	}
	return err
}

// addAttributes adds what a namespace of an earlier start does not have, and waits until the
// server knows.
func (s *server) addAttributes(ctx context.Context, c operatorservice.OperatorServiceClient, namespace string) error {
	missing, err := s.missing(ctx, c, namespace)
	if err != nil || len(missing) == 0 {
		return err
	}
	if _, err := c.AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: namespace, SearchAttributes: missing,
	}); err != nil {
		return err
	}
	return until(ctx, func(ctx context.Context) error {
		missing, err := s.missing(ctx, c, namespace)
		if err == nil && len(missing) > 0 {
			err = fmt.Errorf("not there yet: %v", missing)
		}
		return err
	})
}

func (s *server) missing(ctx context.Context, c operatorservice.OperatorServiceClient, namespace string) (map[string]enumspb.IndexedValueType, error) {
	if len(s.attributes) == 0 {
		return nil, nil
	}
	list, err := c.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return nil, err
	}
	missing := map[string]enumspb.IndexedValueType{}
	for name, want := range s.attributes {
		switch got, ok := list.GetCustomAttributes()[name]; {
		case !ok:
			missing[name] = want
		case got != want:
			return nil, fmt.Errorf("%s is a %s in this database, not a %s", name, got, want)
		}
	}
	return missing, nil
}

// until repeats do, which gets a deadline of its own, until it succeeds; its last error goes
// with the end of ctx.
func until(ctx context.Context, do func(context.Context) error) error {
	for {
		once, cancel := context.WithTimeout(ctx, probeTimeout)
		err := do(once)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(probeInterval):
		}
	}
}

func (s *server) stop() error {
	defer s.ports.close()
	done := make(chan error, 1)
	go func() { done <- s.temporal.Stop() }()
	select {
	case err := <-done:
		return err
	case <-time.After(stopTimeout):
		return fmt.Errorf("temporal has not stopped after %s", stopTimeout)
	}
}
