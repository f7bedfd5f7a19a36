#include "sim/account.h"

#include <string.h>
#include "base/buf.h"
#include "sim/rng.h"

/* {job} the job's name · {req} a request id · {n} a small number, the same throughout one text · {exec} an executor */
static const char *const texts[ERROR_COUNT] = {
    [ERROR_MAX_CONCURRENT] = "Max concurrent runs exceeded",
    [ERROR_MAX_DPU] = "Exceeded maximum concurrent compute capacity for your account. Please contact AWS Support to "
                      "increase this limit.",
    [ERROR_JOB_DELETED] = "Job {job} not found: it was deleted before the trigger fired.",
    [ERROR_S3_DENIED] =
        "An error occurred while calling o{n}.pyWriteDynamicFrame. Access Denied (Service: Amazon S3; Status Code: "
        "403; "
        "Error Code: AccessDenied; Request ID: {req}; S3 Extended Request ID: null; Proxy: null)\n"
        "\tat com.retail.lake.writer.PartitionCommit.put(PartitionCommit.scala:118)\n"
        "\tat com.retail.lake.writer.PartitionCommit.commit(PartitionCommit.scala:74)\n"
        "\tat org.apache.spark.scheduler.ResultTask.runTask(ResultTask.scala:93)\n"
        "\tat org.apache.spark.scheduler.Task.run(Task.scala:141)\n"
        "\tat java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)\n"
        "Caused by: access denied on s3://nordkap-curated/orders/",
    [ERROR_KMS_DENIED] =
        "An error occurred while calling o{n}.parquet. User: arn:aws:sts::441290129012:assumed-role/GlueEtlRole/"
        "GlueJobRunnerSession is not authorized to perform: kms:GenerateDataKey on resource: "
        "arn:aws:kms:eu-west-1:441290129012:key/0c1e7d52-retail because no identity-based policy allows the "
        "kms:GenerateDataKey action (Service: Amazon S3; Status Code: 403; Request ID: {req})",
    [ERROR_HEAP] = "An error occurred while calling o{n}.collectToPython. Job aborted due to stage failure: Task {n} "
                   "in stage 14.0 "
                   "failed 4 times, most recent failure: Lost task {n}.3 in stage 14.0 (TID 4{n}1) (172.34.18.{n} "
                   "executor {exec}): "
                   "java.lang.OutOfMemoryError: Java heap space\n"
                   "\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)\n"
                   "\tat java.base/java.io.ByteArrayOutputStream.grow(ByteArrayOutputStream.java:120)\n"
                   "\tat org.apache.spark.sql.execution.SparkPlan.executeCollectIterator(SparkPlan.scala:455)\n"
                   "\tat org.apache.spark.sql.Dataset.collectToPython(Dataset.scala:3997)\n"
                   "# -XX:OnOutOfMemoryError=\"kill -9 %p\"",
    [ERROR_EXIT_137] = "Command failed with exit code 137",
    [ERROR_NO_SPACE] =
        "An error occurred while calling o{n}.save. Job aborted due to stage failure: Task 211 in stage 9.0 failed 4 "
        "times, most recent failure: Lost task 211.3 in stage 9.0 (TID 9{n}) (172.34.77.{n} executor {exec}): "
        "org.apache.spark.memory.SparkOutOfMemoryError: error while calling spill() on "
        "org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter@5c1a{n}: No space left on device\n"
        "\tat org.apache.spark.memory.TaskMemoryManager.trySpillAndAcquire(TaskMemoryManager.java:255)\n"
        "\tat org.apache.spark.shuffle.sort.UnsafeShuffleWriter.write(UnsafeShuffleWriter.java:179)\n"
        "Caused by: java.io.IOException: No space left on device",
    [ERROR_JDBC_LINK] =
        "An error occurred while calling o{n}.getDynamicFrame. Communications link failure\n\nThe last packet sent "
        "successfully to the server was 0 milliseconds ago. The driver has not received any packets from the server.\n"
        "\tat com.mysql.cj.jdbc.exceptions.SQLError.createCommunicationsException(SQLError.java:174)\n"
        "\tat com.mysql.cj.jdbc.ConnectionImpl.createNewIO(ConnectionImpl.java:828)\n"
        "Caused by: java.net.ConnectException: Connection timed out (Connection timed out)",
    [ERROR_SLOW_DOWN] =
        "An error occurred while calling o{n}.purge_s3_path. Please reduce your request rate. (Service: "
        "Amazon S3; Status Code: 503; Error Code: SlowDown; Request ID: {req})",
    [ERROR_NO_PATH] = "AnalysisException: [PATH_NOT_FOUND] Path does not exist: "
                      "s3://nordkap-landing/suppliers/dt=2026-11-{n}/delivery.csv.",
    [ERROR_NO_COLUMN] =
        "AnalysisException: [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column or function parameter with name `net_amount` "
        "cannot be resolved. Did you mean one of the following? [`amount_net`, `amount_gross`, `currency`, `価格`]. "
        "SQLSTATE: 42703; line {n} pos 11;\n'Project ['order_id, 'net_amount]\n+- Relation "
        "[order_id#{n}L,amount_net#8]",
    [ERROR_ANSI_CAST] =
        "An error occurred while calling o{n}.insertInto. [CAST_INVALID_INPUT] The value 'n/a' of the type \"STRING\" "
        "cannot be cast to \"INT\" because it is malformed. Correct the value as per the syntax, or change its target "
        "type. Use `try_cast` to tolerate malformed input and return NULL instead. If necessary set "
        "\"spark.sql.ansi.enabled\" to \"false\" to bypass this error. SQLSTATE: 22018",
    [ERROR_NO_MODULE] = "ModuleNotFoundError: No module named 'great_expectations'",
    [ERROR_BOOKMARK_VERSION] =
        "An error occurred while calling z:com.amazonaws.services.glue.util.Job.commit. Continuation update failed due "
        "to version mismatch. Expected version {n} but found version 1{n} (Service: AWSGlueJobExecutor; Status Code: "
        "400; Error Code: VersionMismatchException; Request ID: {req}; Proxy: null)",
    [ERROR_SUBNET_FULL] =
        "The specified subnet does not have enough free addresses to satisfy the request. (Service: "
        "AmazonEC2; Status Code: 400; Error Code: InsufficientFreeAddressesInSubnet; Request ID: {req})",
    [ERROR_S3_ENDPOINT] = "VPC S3 endpoint validation failed for SubnetId: subnet-0a77e{n}. VPC: vpc-0nordkap. Reason: "
                          "Could not find S3 endpoint or NAT gateway for subnetId: subnet-0a77e{n} in Vpc vpc-0nordkap "
                          "(Service: AWSGlueJobExecutor; Status Code: 400; Error Code: InvalidInputException; Request "
                          "ID: {req}; Proxy: null)",
    [ERROR_RESOURCE] = "Resource Unavailable. Please try again later or use a different worker type.",
    [ERROR_LAKE_FORMATION] = "An error occurred while calling o{n}.getCatalogSource. Insufficient Lake Formation "
                             "permission(s): Required Select on customers_pii (Service: AWSGlue; Status Code: 400; "
                             "Error Code: AccessDeniedException; Request ID: {req})",
    [ERROR_ARGUMENT] = "GlueArgumentError: the following arguments are required: --run_date",
    [ERROR_SCRIPT_MISSING] = "LAUNCH ERROR | Error downloading from S3 for bucket: nordkap-etl-code, key: "
                             "partner/export_v3.py. File not present on S3. Please refer logs for details.",
    [ERROR_RATE] = "An error occurred while calling o{n}.getCatalogSink. Rate exceeded (Service: AWSGlue; Status Code: "
                   "400; Error Code: ThrottlingException; Request ID: {req}; Proxy: null)",
    [ERROR_SCALA] = "Exception in User Class: java.lang.IllegalStateException : ledger 2026-11 is not balanced: debit "
                    "1.203.44{n},10 € ≠ credit 1.203.44{n},01 €\n"
                    "com.retail.finance.Close$.check(Close.scala:201)\ncom.retail.finance.Close$.main(Close.scala:57)\n"
                    "com.retail.finance.Close.main(Close.scala)",
    [ERROR_EXPIRED_TOKEN] =
        "An error occurred while calling o{n}.load. ERROR: S3ServiceException: The provided token has "
        "expired., Status 400, Error ExpiredToken, Rid {req}",
};

static void add_request_id(struct buf *out, uint64_t key)
{
  static const char letters[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  uint64_t lot = sim_mix2(key, 31);
  for (int i = 0; i < 16; i++)
    buf_addc(out, letters[sim_rng_next(&lot) & 31]);
}

const char *sim_error_text(enum sim_error error, const char *job, uint64_t key, struct arena *scratch)
{
  struct buf out;
  if (error == ERROR_NONE || error >= ERROR_COUNT || texts[error] == NULL)
    return NULL;
  buf_init(&out, 8192);
  for (const char *p = texts[error]; *p != '\0';) {
    if (strncmp(p, "{job}", 5) == 0) {
      buf_adds(&out, job);
      p += 5;
    } else if (strncmp(p, "{req}", 5) == 0) {
      add_request_id(&out, key);
      p += 5;
    } else if (strncmp(p, "{exec}", 6) == 0) {
      buf_addf(&out, "%d", (int)(sim_mix2(key, 7) % 19) + 1);
      p += 6;
    } else if (strncmp(p, "{n}", 3) == 0) {
      buf_addf(&out, "%d", (int)(sim_mix2(key, 3) % 18) + 11);
      p += 3;
    } else {
      buf_addc(&out, *p++);
    }
  }
  const char *text = arena_strndup(scratch, out.data, out.len);
  buf_fini(&out);
  return text;
}
