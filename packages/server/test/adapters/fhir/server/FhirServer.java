import ca.uhn.fhir.batch2.jobs.config.Batch2JobsConfig;
import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.jpa.api.config.JpaStorageSettings;
import ca.uhn.fhir.jpa.api.config.ThreadPoolFactoryConfig;
import ca.uhn.fhir.jpa.batch2.JpaBatch2Config;
import ca.uhn.fhir.jpa.config.HapiJpaConfig;
import ca.uhn.fhir.jpa.config.r4.JpaR4Config;
import ca.uhn.fhir.jpa.config.util.HapiEntityManagerFactoryUtil;
import ca.uhn.fhir.jpa.model.config.PartitionSettings;
import ca.uhn.fhir.jpa.model.config.SubscriptionSettings;
import ca.uhn.fhir.jpa.model.dialect.HapiFhirH2Dialect;
import ca.uhn.fhir.jpa.provider.JpaSystemProvider;
import ca.uhn.fhir.jpa.search.DatabaseBackedPagingProvider;
import ca.uhn.fhir.jpa.searchparam.submit.config.SearchParamSubmitterConfig;
import ca.uhn.fhir.jpa.subscription.channel.config.SubscriptionChannelConfig;
import ca.uhn.fhir.rest.server.IncomingRequestAddressStrategy;
import ca.uhn.fhir.rest.server.RestfulServer;
import ca.uhn.fhir.rest.server.provider.ResourceProviderFactory;
import jakarta.persistence.EntityManagerFactory;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;

/**
 * HAPI's JPA server for R4 with H2 in memory, on a free port of 127.0.0.1. The argument is the largest page. Prints the port when it
 * is ready, and ends when its input ends, so that it never outlives the test.
 */
public class FhirServer {
  public static void main(String[] arguments) throws Exception {
    AnnotationConfigApplicationContext spring = new AnnotationConfigApplicationContext(Storage.class);
    DatabaseBackedPagingProvider pages = spring.getBean(DatabaseBackedPagingProvider.class);
    pages.setDefaultPageSize(Integer.parseInt(arguments[0]));
    pages.setMaximumPageSize(Integer.parseInt(arguments[0]));
    RestfulServer fhir = new RestfulServer(spring.getBean(FhirContext.class));
    fhir.registerProviders(spring.getBean(ResourceProviderFactory.class).createProviders());
    fhir.registerProvider(spring.getBean(JpaSystemProvider.class));
    fhir.setPagingProvider(pages);
    // Links name the host that the caller has used, so the server can stand behind another one.
    fhir.setServerAddressStrategy(new IncomingRequestAddressStrategy());

    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler servlets = new ServletContextHandler("/");
    servlets.addServlet(new ServletHolder(fhir), "/fhir/*");
    server.setHandler(servlets);
    server.start();
    System.out.println("listening on " + connector.getLocalPort());
    while (System.in.read() >= 0) {}
    System.exit(0);
  }

  @Configuration
  @Import({
    JpaR4Config.class,
    HapiJpaConfig.class,
    JpaBatch2Config.class,
    Batch2JobsConfig.class,
    SubscriptionChannelConfig.class,
    SearchParamSubmitterConfig.class,
    ThreadPoolFactoryConfig.class
  })
  public static class Storage {
    @Bean
    public DataSource dataSource() {
      BasicDataSource source = new BasicDataSource();
      source.setDriver(new org.h2.Driver());
      source.setUrl("jdbc:h2:mem:fhir;DB_CLOSE_DELAY=-1");
      source.setMaxTotal(20);
      return source;
    }

    @Bean
    public LocalContainerEntityManagerFactoryBean entityManagerFactory(
        ConfigurableListableBeanFactory beans,
        FhirContext context,
        JpaStorageSettings settings,
        DataSource source) {
      LocalContainerEntityManagerFactoryBean factory =
          HapiEntityManagerFactoryUtil.newEntityManagerFactory(beans, context, settings);
      Properties properties = new Properties();
      properties.put("hibernate.dialect", HapiFhirH2Dialect.class.getName());
      properties.put("hibernate.hbm2ddl.auto", "create");
      properties.put("hibernate.search.enabled", "false");
      factory.setPersistenceUnitName("fhir");
      factory.setDataSource(source);
      factory.setJpaProperties(properties);
      return factory;
    }

    @Bean
    @Primary
    public JpaTransactionManager transactionManager(EntityManagerFactory factory) {
      return new JpaTransactionManager(factory);
    }

    @Bean
    public JpaStorageSettings storageSettings() {
      JpaStorageSettings settings = new JpaStorageSettings();
      settings.setResourceClientIdStrategy(JpaStorageSettings.ClientIdStrategyEnum.ANY);
      // Examples name practitioners and organizations that are not loaded.
      settings.setEnforceReferentialIntegrityOnWrite(false);
      // A search always sees what was loaded before it.
      settings.setReuseCachedSearchResultsForMillis(null);
      return settings;
    }

    @Bean
    public PartitionSettings partitionSettings() {
      return new PartitionSettings();
    }

    @Bean
    public SubscriptionSettings subscriptionSettings() {
      return new SubscriptionSettings();
    }
  }
}
